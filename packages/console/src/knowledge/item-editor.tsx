import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useDeferredValue, useMemo, useState } from 'react'
import { type KnowledgeItem, PreconditionFailedError } from 'worklore-client'
import { actorOf } from '../api/actor'
import { errorText } from '../api/error-text'
import { Button, commandKey, Kbd } from '../components/button'
import { onDemand } from '../components/on-demand'
import { Conflict } from '../editor/conflict'
import { RestoredDraft } from '../editor/restored-draft'
import { type Draft, useDraft } from '../editor/use-draft'
import { itemDraftName, itemLink } from '../item-link'
import { useKeys } from '../keyboard/use-keys'
import { useConsole } from '../store/console'
import type { KnowledgeEvent } from '../store/knowledge'
import { useProjects, useUsers } from '../store/records'
import { GoneNotice } from './gone-notice'
import { createItemCompletion } from './links/completion'
import { ItemMarkdown } from './links/item-markdown'

const MarkdownEditor = onDemand(() =>
  import('../editor/markdown-editor').then(({ MarkdownEditor }) => ({ default: MarkdownEditor })),
)

interface ItemEditorProps {
  item: KnowledgeItem
  /** It was deleted or moved while it was open. */
  isGone: boolean
  end: KnowledgeEvent | undefined
  accept: (item: KnowledgeItem) => void
  /** Reads the item again. */
  reload: () => void
  onClose: () => void
}

export const ItemEditor = ({ item, isGone, end, accept, reload, onClose }: ItemEditorProps): ReactNode => {
  const { client, toasts, drafts, knowledge } = useConsole()
  const projects = useProjects()
  const users = useUsers()
  const navigate = useNavigate()
  const { key, projectId } = item
  const [isPreview, setIsPreview] = useState(false)
  const draft = useDraft({
    name: itemDraftName(projectId, key),
    undoneAs: `Text of ${key}`,
    current: { version: item.version, text: item.content },
    write: async (content, options) => {
      const saved = await client.knowledge.put(key, { content, projectId }, options)
      accept(saved)
      return { version: saved.version, text: saved.content }
    },
    read: async () => {
      const now = await client.knowledge.get(key, projectId ? { projectId } : {})
      accept(now)
      return { version: now.version, text: now.content }
    },
    writeNew: async (content) => {
      const saved = await client.knowledge.put(key, { content, projectId }, { ifNoneMatch: '*' })
      accept(saved)
      return { version: saved.version, text: saved.content }
    },
    onSaved: ({ version }) => {
      toasts.info(`${key} is saved as version ${version}`)
      onClose()
    },
    onError: (error) => {
      // The conflict itself says so, next to both texts.
      if (error instanceof PreconditionFailedError) return
      toasts.error(`The text was not saved. ${errorText(error)}`)
    },
  })
  const continueThere = ({ data }: KnowledgeEvent): void => {
    const { text, base } = draft
    const there: Draft = { text, baseVersion: base.version, baseText: base.text }
    drafts.save(itemDraftName(data.projectId ?? null, data.key), there)
    draft.discard()
    const link = itemLink(data.key, projects.get(data.projectId ?? '')?.key) as unknown as { search: object }
    void navigate({ ...link, search: { ...link.search, edit: '1' } } as never)
  }
  const completion = useMemo(
    () => createItemCompletion(knowledge, { projectIds: [...new Set([projectId, null])], excluded: [key] }),
    [knowledge, projectId, key],
  )
  const isLost = isGone || draft.isGone
  const previewed = useDeferredValue(draft.text)
  useKeys({ 'Mod+s': () => void draft.save() })
  return (
    <div className="item-editor">
      <div className="item-editor-bar">
        <div className="segmented phone-only">
          <button type="button" aria-pressed={!isPreview} onClick={() => setIsPreview(false)}>
            Write
          </button>
          <button type="button" aria-pressed={isPreview} onClick={() => setIsPreview(true)}>
            Preview
          </button>
        </div>
        <span className="muted desktop-only">
          {draft.isChanged
            ? `Changed since version ${draft.base.version}. Kept as a draft in this browser.`
            : 'No changes yet'}
        </span>
        <span className="spacer" />
        <Button
          kind="quiet"
          onClick={() => {
            draft.discard()
            onClose()
          }}
        >
          {draft.isChanged ? 'Discard' : 'Close'}
        </Button>
        {draft.isChanged && (
          <Button kind="quiet" className="desktop-only" onClick={onClose}>
            Close and keep the draft
          </Button>
        )}
        <Button
          kind="primary"
          disabled={draft.isSaving || !draft.isChanged || isLost}
          onClick={() => void draft.save()}
        >
          Save <Kbd>{commandKey}S</Kbd>
        </Button>
      </div>
      {isLost && (
        <GoneNotice
          itemKey={key}
          projectId={projectId}
          end={end}
          onSaveAsNew={() => void draft.saveAsNew()}
          onContinue={end && (() => continueThere(end))}
          onDiscard={() => {
            draft.discard()
            reload()
            onClose()
          }}
        />
      )}
      {!isLost && <RestoredDraft draft={draft} />}
      <Conflict draft={draft} who={actorOf(users, item.updatedBy).name} />
      <div className="split" data-preview={isPreview}>
        <div className="split-editor">
          <Suspense>
            <MarkdownEditor
              label={`Text of ${key}`}
              initial={draft.text}
              resetKey={draft.resetKey}
              onChange={draft.setText}
              onSave={() => void draft.save()}
              onEscape={draft.isChanged ? undefined : onClose}
              completion={completion}
            />
          </Suspense>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the preview scrolls, and the keyboard must reach it */}
        <section className="split-preview" aria-label="Preview" tabIndex={0}>
          <ItemMarkdown item={item} text={previewed} />
        </section>
      </div>
    </div>
  )
}
