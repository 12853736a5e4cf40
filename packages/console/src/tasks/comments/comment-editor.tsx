import type { ReactNode } from 'react'
import type { Comment } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { Conflict } from '../../editor/conflict'
import { useDraft } from '../../editor/use-draft'
import { useConsole } from '../../store/console'
import { Composer } from '../composer'
import { MentionBox } from '../mention-box'

/** Storage name of a comment's draft. */
export const commentDraftName = (id: string): string => `comment.${id}`

interface CommentEditorProps {
  comment: Comment
  accept: (comment: Comment) => void
  /** Whether it was opened just now, and not with the page. */
  isFocused: boolean
  onClose: () => void
}

export const CommentEditor = ({ comment, accept, isFocused, onClose }: CommentEditorProps): ReactNode => {
  const { client, toasts } = useConsole()
  const comments = client.tasks.comments(comment.taskId)
  const draft = useDraft({
    name: commentDraftName(comment.id),
    undoneAs: 'The comment edited',
    current: { version: comment.version, text: comment.body },
    write: async (body, options) => {
      const saved = await comments.update(comment.id, { body }, options)
      accept(saved)
      return { version: saved.version, text: saved.body }
    },
    read: async () => {
      const now = await comments.get(comment.id)
      accept(now)
      return { version: now.version, text: now.body }
    },
    onSaved: onClose,
    onError: (error) => toasts.error(`The comment was not saved. ${errorText(error)}`),
  })
  return (
    <>
      <Conflict draft={draft} who="Someone else" />
      <Composer
        box={MentionBox}
        label="Edit the comment"
        text={draft.text}
        onText={draft.setText}
        action="Save"
        isSending={draft.isSaving}
        isFocused={isFocused}
        onSend={() => void draft.save()}
        onCancel={() => {
          draft.discard()
          onClose()
        }}
      />
    </>
  )
}
