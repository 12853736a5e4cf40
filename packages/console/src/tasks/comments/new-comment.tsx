import { type ReactNode, useState } from 'react'
import type { Comment } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { useConsole } from '../../store/console'
import { useKept } from '../../store/use-kept'
import { Composer } from '../composer'
import { MentionBox } from '../mention-box'

export const NewComment = ({ taskId, onSent }: { taskId: string; onSent: (comment: Comment) => void }): ReactNode => {
  const { client, toasts, undo } = useConsole()
  const [isSending, setIsSending] = useState(false)
  const body = useKept(`new-comment.${taskId}`, '', (text) => text.trim() !== '')
  const send = async (): Promise<void> => {
    setIsSending(true)
    try {
      const comments = client.tasks.comments(taskId)
      const sent = await comments.create({ body: body.value })
      onSent(sent)
      undo.push({ what: `Comment on ${taskId}`, run: async () => void (await comments.delete(sent.id)) })
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
