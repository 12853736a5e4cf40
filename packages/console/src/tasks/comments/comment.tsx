import { type ReactNode, useState } from 'react'
import type { Comment } from 'worklore-client'
import { actorOf } from '../../api/actor'
import { errorText } from '../../api/error-text'
import { hasScope } from '../../api/permissions'
import { Avatar } from '../../components/avatar'
import { ActionMenu } from '../../components/menu'
import { Time } from '../../components/time'
import { useTellDeleted } from '../../lifecycle/use-restore'
import { Markdown } from '../../markdown/markdown'
import { useConsole } from '../../store/console'
import { useMe, useUsers } from '../../store/records'
import { newRequestId } from '../../undo/undo-request'
import { CommentEditor, commentDraftName } from './comment-editor'

interface CommentViewProps {
  comment: Comment
  accept: (comment: Comment) => void
  onRemoved: () => void
}

export const CommentView = ({ comment, accept, onRemoved }: CommentViewProps): ReactNode => {
  const { client, toasts, drafts } = useConsole()
  const users = useUsers()
  const me = useMe()
  const tellDeleted = useTellDeleted()
  const [editing, setEditing] = useState<'no' | 'opened' | 'restored'>(() =>
    drafts.read(commentDraftName(comment.id)) === null ? 'no' : 'restored',
  )
  const isMine = comment.createdBy.keyId === me.key.id || hasScope(me, 'admin')
  const canEdit = isMine && hasScope(me, 'tasks:write')
  const { name, isAgent } = actorOf(users, comment.createdBy)

  const remove = async (): Promise<void> => {
    try {
      const requestId = newRequestId()
      await client.tasks.comments(comment.taskId).delete(comment.id, { requestId })
      onRemoved()
      tellDeleted('The comment', requestId)
    } catch (cause) {
      toasts.error(`The comment was not deleted. ${errorText(cause)}`)
    }
  }

  return (
    <article className="comment">
      <Avatar name={name} isAgent={isAgent} />
      <div className="comment-main">
        <header>
          <b>{name}</b> <Time at={comment.createdAt} />
          {comment.version > 1 && <span className="muted">edited</span>}
          {canEdit && (
            <span className="comment-menu">
              <ActionMenu
                label="Actions on this comment"
                actions={[
                  { value: () => setEditing('opened'), label: 'Edit' },
                  { value: () => void remove(), label: 'Delete', isDangerous: true },
                ]}
              />
            </span>
          )}
        </header>
        {canEdit && editing !== 'no' ? (
          <CommentEditor
            comment={comment}
            accept={accept}
            isFocused={editing === 'opened'}
            onClose={() => setEditing('no')}
          />
        ) : (
          <Markdown text={comment.body} />
        )}
      </div>
    </article>
  )
}
