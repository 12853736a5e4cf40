import { type ReactNode, useEffect, useState } from 'react'
import type { Comment } from 'worklore-client'
import { errorText } from '../api/error-text'
import { hasScope } from '../api/permissions'
import { Avatar } from '../components/avatar'
import { Button, commandKey, Kbd } from '../components/button'
import { ActionMenu } from '../components/menu'
import { Failure, Skeletons } from '../components/states'
import { Time } from '../components/time'
import { Markdown } from '../markdown/markdown'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { useLoaded } from '../store/use-loaded'

/** Longer discussions show the newest comments. */
const maxComments = 500

interface ComposerProps {
  label: string
  initial?: string
  action: string
  onSend: (body: string) => Promise<boolean>
  onCancel?: () => void
}

const Composer = ({ label, initial = '', action, onSend, onCancel }: ComposerProps): ReactNode => {
  const [body, setBody] = useState(initial)
  const [isSending, setIsSending] = useState(false)
  const send = async (): Promise<void> => {
    if (body.trim() === '' || isSending) return
    setIsSending(true)
    if (await onSend(body)) setBody('')
    setIsSending(false)
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <textarea
        className="textarea"
        aria-label={label}
        placeholder={`${label}, in Markdown`}
        value={body}
        onChange={(event) => setBody(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault()
            void send()
          }
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <div className="editor-actions">
        {onCancel && (
          <Button kind="quiet" small onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" kind="primary" small disabled={isSending || body.trim() === ''}>
          {action} <Kbd>{commandKey}↵</Kbd>
        </Button>
      </div>
    </form>
  )
}

export const Comments = ({ taskId }: { taskId: string }): ReactNode => {
  const { client, me: meNow, onEvent, toasts, users } = useConsole()
  const me = useObservable(meNow)
  const [editing, setEditing] = useState<string | null>(null)
  const comments = client.tasks.comments(taskId)
  const { data, error, reload, set } = useLoaded(
    async (signal) => {
      const list: Comment[] = []
      for await (const comment of comments.list({ limit: 100 }, { signal })) list.push(comment)
      return list.slice(-maxComments)
    },
    [taskId],
  )

  useEffect(
    () =>
      onEvent((event) => {
        if (!event.type.startsWith('comment.')) return
        const comment = event.data as Comment & { truncated?: true }
        if (comment.taskId !== taskId) return
        if (comment.truncated) return reload()
        set((list) => {
          const others = (list ?? []).filter(({ id }) => id !== comment.id)
          if (event.type === 'comment.deleted') return others
          return [...others, comment].sort((a, b) => a.createdAt.localeCompare(b.createdAt))
        })
      }),
    [onEvent, taskId, reload, set],
  )

  const attempt = async (what: string, run: () => Promise<unknown>): Promise<boolean> => {
    try {
      await run()
      return true
    } catch (cause) {
      toasts.error(`${what}. ${errorText(cause)}`)
      return false
    }
  }
  const put = (comment: Comment): void =>
    set((list) =>
      [...list.filter(({ id }) => id !== comment.id), comment].sort((a, b) => a.createdAt.localeCompare(b.createdAt)),
    )

  if (error) return <Failure error={error} what="the comments" onRetry={reload} />
  return (
    <div className="comments">
      {!data && <Skeletons count={2} height={48} />}
      {data?.map((comment) => {
        const isMine = comment.createdBy.keyId === me.key.id || hasScope(me, 'admin')
        const author = users.get(comment.createdBy.userId ?? '')
        const name = author?.name ?? comment.createdBy.keyName
        return (
          <article key={comment.id} className="comment">
            <Avatar name={name} isAgent={author ? author.kind === 'agent' : true} />
            <div className="comment-main">
              <header>
                <b>{name}</b> <Time at={comment.createdAt} />
                {comment.version > 1 && <span className="muted">edited</span>}
                {isMine && hasScope(me, 'tasks:write') && (
                  <span className="comment-menu">
                    <ActionMenu
                      label="Actions on this comment"
                      actions={[
                        { value: () => setEditing(comment.id), label: 'Edit' },
                        {
                          value: () => {
                            void attempt('The comment was not deleted', () => comments.delete(comment.id)).then(
                              (done) => {
                                if (done) set((list) => list.filter(({ id }) => id !== comment.id))
                              },
                            )
                          },
                          label: 'Delete',
                          isDangerous: true,
                        },
                      ]}
                    />
                  </span>
                )}
              </header>
              {editing === comment.id ? (
                <Composer
                  label="Edit the comment"
                  initial={comment.body}
                  action="Save"
                  onCancel={() => setEditing(null)}
                  onSend={async (body) => {
                    const isSaved = await attempt('The comment was not saved', async () =>
                      put(await comments.update(comment.id, { body }, { ifMatch: comment.version })),
                    )
                    if (isSaved) setEditing(null)
                    return isSaved
                  }}
                />
              ) : (
                <Markdown text={comment.body} />
              )}
            </div>
          </article>
        )
      })}
      {data?.length === 0 && <p className="muted">No comments yet.</p>}
      {hasScope(me, 'tasks:write') && (
        <Composer
          label="Write a comment"
          action="Comment"
          onSend={(body) => attempt('The comment was not sent', async () => put(await comments.create({ body })))}
        />
      )}
    </div>
  )
}
