import { type ReactNode, Suspense, useDeferredValue, useState } from 'react'
import { type KnowledgeItem, PreconditionFailedError } from 'worklore-client'
import { errorText } from '../api/error-text'
import { Button, commandKey, Kbd } from '../components/button'
import { onDemand } from '../components/on-demand'
import { Conflict } from '../editor/conflict'
import { useDraft } from '../editor/use-draft'
import { useKeys } from '../keyboard/use-keys'
import { Markdown } from '../markdown/markdown'
import { useConsole } from '../store/console'
import { itemDraftName } from './item-draft'

const MarkdownEditor = onDemand(() =>
  import('../editor/markdown-editor').then(({ MarkdownEditor }) => ({ default: MarkdownEditor })),
)

interface ItemEditorProps {
  item: KnowledgeItem
  accept: (item: KnowledgeItem) => void
  onClose: () => void
}

export const ItemEditor = ({ item, accept, onClose }: ItemEditorProps): ReactNode => {
  const { client, toasts } = useConsole()
  const { key, projectId } = item
  const [isPreview, setIsPreview] = useState(false)
  const draft = useDraft({
    name: itemDraftName(projectId, key),
    current: { version: item.version, text: item.content },
    write: async (content, ifMatch) => {
      const saved = await client.knowledge.put(key, { content, projectId }, { ifMatch })
      accept(saved)
      return { version: saved.version, text: saved.content }
    },
    read: async () => {
      const now = await client.knowledge.get(key, projectId ? { projectId } : {})
      accept(now)
      return { version: now.version, text: now.content }
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
        <Button kind="primary" disabled={draft.isSaving || !draft.isChanged} onClick={() => void draft.save()}>
          Save <Kbd>{commandKey}S</Kbd>
        </Button>
      </div>
      {draft.isRestored && !draft.theirs && (
        <div className="notice blue">
          <span>Your unsaved draft was restored.</span>
          <Button small onClick={draft.discard}>
            Discard
          </Button>
        </div>
      )}
      <Conflict draft={draft} who={item.updatedBy.keyName} />
      <div className="split" data-preview={isPreview}>
        <div className="split-editor">
          <Suspense>
            <MarkdownEditor
              label={`Text of ${key}`}
              initial={draft.text}
              resetKey={draft.resetKey}
              onChange={draft.setText}
              onSave={() => void draft.save()}
            />
          </Suspense>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the preview scrolls, and the keyboard must reach it */}
        <section className="split-preview" aria-label="Preview" tabIndex={0}>
          <Markdown text={previewed} />
        </section>
      </div>
    </div>
  )
}
