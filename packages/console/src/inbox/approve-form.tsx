import { type ReactNode, useRef, useState } from 'react'
import { runBatch } from '../api/batch'
import { Button, commandKey, Kbd } from '../components/button'
import { useKeys } from '../keyboard/use-keys'
import { useConsole } from '../store/console'
import { useKept } from '../store/use-kept'
import { useTaskActions } from '../tasks/use-task-actions'

interface ApproveFormProps {
  taskId: string
  hasKeys: boolean
  /** Call before the row goes; the function that it returns goes on to the next one. */
  leave: () => () => void
}

/** Sets a task in review to done, or back to To do with a comment that says why. */
const ApproveForm = ({ taskId, hasKeys, leave }: ApproveFormProps): ReactNode => {
  const { client, toasts } = useConsole()
  const { change, orExplain } = useTaskActions()
  const text = useKept(`review.${taskId}`, '', (value) => value.trim() !== '')
  const [isSending, setIsSending] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const body = text.value.trim()

  const decide = async (status: 'done' | 'todo'): Promise<void> => {
    if (isSending) return
    if (status === 'todo' && body === '') return box.current?.focus()
    setIsSending(true)
    const goOn = leave()
    const isDone =
      body === ''
        ? await change(taskId, { status })
        : await orExplain(
            taskId,
            runBatch(client, [
              { method: 'POST', path: `/v1/tasks/${taskId}/comments`, body: { body } },
              { method: 'PATCH', path: `/v1/tasks/${taskId}`, body: { status } },
            ]),
          )
    setIsSending(false)
    if (!isDone) return
    text.clear()
    toasts.info(status === 'done' ? `${taskId} is approved` : `${taskId} is sent back to To do`)
    goOn()
  }
  useKeys(
    {
      // A key that is held down must not decide the next task as well.
      p: (event) => !event.repeat && void decide('done'),
      f: () => box.current?.focus(),
    },
    hasKeys,
  )
  return (
    <form
      className="composer approve-form"
      onSubmit={(event) => {
        event.preventDefault()
        void decide('todo')
      }}
    >
      <textarea
        ref={box}
        className="textarea"
        aria-label={`Comment on ${taskId}`}
        placeholder="Comment, in Markdown; needed to send it back"
        value={text.value}
        readOnly={isSending}
        onChange={(event) => text.set(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault()
            void decide('todo')
          }
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <div className="editor-actions">
        <Button type="submit" small disabled={isSending || body === ''}>
          Send back <Kbd>{commandKey}↵</Kbd>
        </Button>
        <Button kind="primary" small disabled={isSending} onClick={() => void decide('done')}>
          Approve {hasKeys && <Kbd>p</Kbd>}
        </Button>
      </div>
    </form>
  )
}

export default ApproveForm
