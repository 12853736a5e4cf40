import { type ReactNode, useState } from 'react'
import type { Comment } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { useConsole } from '../../store/console'
import { useKept } from '../../store/use-kept'
import { newRequestId, undoOf } from '../../undo/undo-request'
import { Composer } from '../composer'
import { MentionBox } from '../mention-box'

export const NewComment = ({ taskId, onSent }: { taskId: string; onSent: (comment: Comment) => void }): ReactNode => {
  const app = useConsole()
  const { client, toasts, undo } = app
  const [isSending, setIsSending] = useState(false)
  const body = useKept(`new-comment.${taskId}`, '', (text) => text.trim() !== '')
  const send = async (): Promise<void> => {
    setIsSending(true)
    try {
      const requestId = newRequestId()
      onSent(await client.tasks.comments(taskId).create({ body: body.value }, { requestId }))
      undo.push(undoOf(app, `Comment on ${taskId}`, requestId))
      body.clear()
    } catch (error) {
      toasts.error(`The comment was not sent. ${errorText(error)}`)
    }
    setIsSending(false)
  }
  return (
    <Composer
      box={MentionBox}
      label="Write a comment"
      text={body.value}
      onText={body.set}
      action="Comment"
      isSending={isSending}
      onSend={() => void send()}
    />
  )
}
