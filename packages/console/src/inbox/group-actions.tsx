import { type ReactNode, useState } from 'react'
import type { UpdateTaskBody } from 'worklore-client'
import { maxBatch, runBatch } from '../api/batch'
import { errorText } from '../api/error-text'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Confirm } from '../components/confirm'
import { countOf } from '../components/count'
import { useConsole } from '../store/console'
import { useMe } from '../store/records'
import type { Group } from './groups'

const bulk = {
  silent: {
    name: 'Release all',
    title: 'Release all silent tasks?',
    text: 'They go back to To do, where any agent can claim them. Their claims cannot be given back: whoever held a task must claim it again to go on.',
    done: 'released',
    patch: { status: 'todo' },
  },
  exhausted: {
    name: 'Retry all',
    title: 'Retry all tasks that are out of attempts?',
    text: 'They go back to To do with as many attempts as new tasks have.',
    done: 'to be tried again',
    patch: { status: 'todo', attempts: 0 },
  },
} satisfies Record<string, { name: string; title: string; text: string; done: string; patch: UpdateTaskBody }>

/** What can be done to all of a group at once. */
export const GroupActions = ({ group, onMarkAllRead }: { group: Group; onMarkAllRead: () => void }): ReactNode => {
  const { client, toasts } = useConsole()
  const me = useMe()
  const [isAsking, setIsAsking] = useState(false)
  const { kind, rows } = group
  if (rows.length < 2) return null
  if (kind === 'news') {
    return (
      <Button kind="quiet" small onClick={onMarkAllRead}>
        Mark all as read
      </Button>
    )
  }
  const isAllowed = kind === 'silent' ? hasScope(me, 'admin') : hasScope(me, 'tasks:write')
  if ((kind !== 'silent' && kind !== 'exhausted') || !isAllowed) return null
  const { name, title, text, done, patch } = bulk[kind]
  const ids = rows.flatMap(({ taskId }) => taskId ?? [])
  const run = async (): Promise<void> => {
    let changed = 0
    try {
      for (let at = 0; at < ids.length; at += maxBatch) {
        const some = ids.slice(at, at + maxBatch)
        await runBatch(
          client,
          some.map((id) => ({ method: 'PATCH', path: `/v1/tasks/${id}`, body: patch })),
        )
        changed += some.length
      }
      toasts.info(`${countOf(changed, 'task')} ${done}`)
    } catch (error) {
      toasts.error(`${countOf(ids.length - changed, 'task')} not changed. ${errorText(error)}`)
    }
  }
  return (
    <>
      <Button kind="quiet" small onClick={() => setIsAsking(true)}>
        {name}
      </Button>
      {isAsking && (
        <Confirm
          title={title}
          action={`${name.split(' ')[0]} ${countOf(ids.length, 'task')}`}
          run={run}
          onClose={() => setIsAsking(false)}
        >
          {text}
        </Confirm>
      )}
    </>
  )
}
