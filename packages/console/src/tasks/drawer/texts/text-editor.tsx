import { type ReactNode, Suspense, useState } from 'react'
import { PreconditionFailedError, type Task } from 'worklore-client'
import { errorText } from '../../../api/error-text'
import { Button, commandKey, Kbd } from '../../../components/button'
import { onDemand } from '../../../components/on-demand'
import { Conflict } from '../../../editor/conflict'
import { RestoredDraft } from '../../../editor/restored-draft'
import { useDraft } from '../../../editor/use-draft'
import { useKeys } from '../../../keyboard/use-keys'
import { Markdown } from '../../../markdown/markdown'
import { useConsole } from '../../../store/console'
import { type TextField, textDraftName, textNames } from './text-field'
import { useWhoChanged } from './use-who-changed'
import '../../../styles/editor.css'

const MarkdownEditor = onDemand(() =>
  import('../../../editor/markdown-editor').then(({ MarkdownEditor }) => ({ default: MarkdownEditor })),
)

interface TextEditorProps {
  task: Task
  field: TextField
  accept: (task: Task) => void
  onClose: () => void
}

/** Edits a long text of a task. */
export const TextEditor = ({ task, field, accept, onClose }: TextEditorProps): ReactNode => {
  const { client, toasts } = useConsole()
  const [isPreview, setIsPreview] = useState(false)
  const savedIn = (record: Task) => ({ version: record.version, text: record[field] ?? '' })
  const draft = useDraft({
    name: textDraftName(field, task.id),
    undoneAs: `${textNames[field]} of ${task.id}`,
    current: savedIn(task),
    write: async (text, options) => {
      const saved = await client.tasks.update(
        task.id,
        field === 'description' ? { description: text } : { result: text.trim() === '' ? null : text },
        options,
      )
      accept(saved)
      return savedIn(saved)
    },
    read: async () => {
      const now = await client.tasks.get(task.id)
      accept(now)
      return savedIn(now)
    },
    onSaved: onClose,
    onError: (error) => {
      // The conflict itself says so, next to both texts.
      if (error instanceof PreconditionFailedError) return
      toasts.error(`The ${field} was not saved. ${errorText(error)}`)
    },
  })
  const who = useWhoChanged(task.id, field, (draft.theirs ?? draft.merged?.after)?.version)
  useKeys({ 'Mod+s': () => void draft.save() })
  return (
    <div className="description-editor">
      <RestoredDraft draft={draft} />
      <Conflict draft={draft} who={who} />
      <div className="editor-frame" hidden={isPreview}>
        <Suspense>
          <MarkdownEditor
            label={`${textNames[field]} of ${task.id}`}
            initial={draft.text}
            resetKey={draft.resetKey}
            onChange={draft.setText}
            onSave={() => void draft.save()}
            onEscape={draft.isChanged ? undefined : onClose}
          />
        </Suspense>
      </div>
      {isPreview && <Markdown text={draft.text} />}
      <div className="editor-actions">
        <Button kind="quiet" small onClick={() => setIsPreview((value) => !value)}>
          {isPreview ? 'Write' : 'Preview'}
        </Button>
        <span className="spacer" />
        <Button
          kind="quiet"
          small
          onClick={() => {
            draft.discard()
            onClose()
          }}
        >
          Cancel
        </Button>
        <Button kind="primary" small disabled={draft.isSaving || !draft.isChanged} onClick={() => void draft.save()}>
          Save <Kbd>{commandKey}S</Kbd>
        </Button>
      </div>
    </div>
  )
}
