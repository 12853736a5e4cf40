import { type ReactNode, useEffect } from 'react'
import { type Comment, isChangeOf } from 'worklore-client'
import { hasScope } from '../../api/permissions'
import { Failure, Skeletons } from '../../components/states'
import { useConsole } from '../../store/console'
import { useMe } from '../../store/records'
import { useLoaded } from '../../store/use-loaded'
import { CommentView } from './comment'
import { NewComment } from './new-comment'

/** Longer discussions show the newest comments. */
const maxComments = 500

export const Comments = ({ taskId }: { taskId: string }): ReactNode => {
  const { client, onEvent } = useConsole()
  const me = useMe()
  const comments = client.tasks.comments(taskId)
  const { data, error, reload, set } = useLoaded(
    async (signal) => {
      const list: Comment[] = []
      for await (const comment of comments.list({ limit: 100 }, { signal })) list.push(comment)
      return list.slice(-maxComments)
    },
    ['comments', taskId],
  )

  useEffect(
    () =>
      onEvent((event) => {
        if (!isChangeOf(event, 'comment') || event.data.taskId !== taskId) return
        const { body, ...rest } = event.data
        if (body === undefined) return reload()
        const comment = { ...rest, body }
        set((list) => {
          const others = list.filter(({ id }) => id !== comment.id)
          if (event.type === 'comment.deleted') return others
          return [...others, comment].sort((a, b) => a.createdAt.localeCompare(b.createdAt))
        })
      }),
    [onEvent, taskId, reload, set],
  )

  const put = (comment: Comment): void =>
    set((list) =>
      [...list.filter(({ id }) => id !== comment.id), comment].sort((a, b) => a.createdAt.localeCompare(b.createdAt)),
    )

  if (error) return <Failure error={error} what="the comments" onRetry={reload} />
  return (
    <div className="comments">
      {!data && <Skeletons count={2} height={48} />}
      {data?.map((comment) => (
        <CommentView
          key={comment.id}
          comment={comment}
          accept={put}
          onRemoved={() => set((list) => list.filter(({ id }) => id !== comment.id))}
        />
      ))}
      {data?.length === 0 && <p className="muted">No comments yet.</p>}
      {hasScope(me, 'tasks:write') && <NewComment key={taskId} taskId={taskId} onSent={put} />}
    </div>
  )
}
