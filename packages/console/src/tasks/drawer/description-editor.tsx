import { type ReactNode, Suspense, useState } from 'react'
import { PreconditionFailedError, type Task } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { Button, commandKey, Kbd } from '../../components/button'
import { onDemand } from '../../components/on-demand'
import { Conflict } from '../../editor/conflict'
import { useDraft } from '../../editor/use-draft'
import { useKeys } from '../../keyboard/use-keys'
import { Markdown } from '../../markdown/markdown'
import { useConsole } from '../../store/console'
import { useWhoChanged } from './use-who-changed'

const MarkdownEditor = onDemand(() =>
  import('../../editor/markdown-editor').then(({ MarkdownEditor }) => ({ default: MarkdownEditor })),
)

interface DescriptionEditorProps {
  task: Task
  accept: (task: Task) => void
  onClose: () => void
}

export const DescriptionEditor = ({ task, accept, onClose }: DescriptionEditorProps): ReactNode => {
  const { client, toasts } = useConsole()
  const [isPreview, setIsPreview] = useState(false)
  const draft = useDraft({
    name: `task.${task.id}`,
    current: { version: task.version, text: task.description },
    write: async (description, ifMatch) => {
      const saved = await client.tasks.update(task.id, { description }, { ifMatch })
      accept(saved)
      return { version: saved.version, text: saved.description }
    },
    read: async () => {
      const now = await client.tasks.get(task.id)
      accept(now)
      return { version: now.version, text: now.description }
    },
    onSaved: onClose,
    onError: (error) => {
      // The conflict itself says so, next to both texts.
      if (error instanceof PreconditionFailedError) return
      toasts.error(`The description was not saved. ${errorText(error)}`)
    },
  })
  const who = useWhoChanged(task.id, 'description', draft.theirs?.version)
  useKeys({ 'Mod+s': () => void draft.save() })
  return (
    <div className="description-editor">
      {draft.isRestored && !draft.theirs && (
        <div className="notice blue">
          <span>Your unsaved draft was restored.</span>
          <Button small onClick={draft.discard}>
            Discard
          </Button>
        </div>
      )}
      <Conflict draft={draft} who={who} />
      <div className="editor-frame" hidden={isPreview}>
        <Suspense>
          <MarkdownEditor
            label={`Description of ${task.id}`}
            initial={draft.text}
            resetKey={draft.resetKey}
            onChange={draft.setText}
            onSave={() => void draft.save()}
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
