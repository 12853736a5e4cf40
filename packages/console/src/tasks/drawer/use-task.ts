import { useEffect, useState } from 'react'
import { type ChangeEvent, isChangeOf, NotFoundError, type Task, type UpdateTaskBody } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { editList, withValue } from '../../store/cards/edit-list'
import { useConsole } from '../../store/console'
import { useCard } from '../../store/records'
import { useLoaded } from '../../store/use-loaded'
import { newRequestId, undoOf } from '../../undo/undo-request'

export interface OpenTask {
  task: Task | undefined
  error: unknown
  /** The event that deleted it while it was open. */
  deletion: ChangeEvent | undefined
  reload: () => void
  /** Takes over an answer of the service. */
  accept: (task: Task) => void
}

/** Events after which the task is read again: theirs does not tell all. Marks about items of other projects are left out. */
const rereadTypes: readonly string[] = ['task.restored', 'task.stale', 'task.claimed', 'task.moved']

/** A whole task, kept up to date by events; what was changed here shows at once. */
export const useTask = (taskId: string): OpenTask => {
  const { client, tasks, onEvent } = useConsole()
  const [deletion, setDeletion] = useState<ChangeEvent>()
  const {
    data: task,
    error,
    reload,
    set,
  } = useLoaded(
    async (signal) => {
      const read = await client.tasks.get(taskId, { signal })
      tasks.add([read])
      return read
    },
    ['task', taskId],
  )

  useEffect(
    () =>
      onEvent((event) => {
        if (!isChangeOf(event, 'task') || event.data.id !== taskId) return
        if (event.type === 'task.deleted') return setDeletion(event)
        setDeletion(undefined)
        const { data } = event
        if (!('title' in data) || data.truncated || rereadTypes.includes(event.type)) reload()
        else set((now) => (now.version <= data.version ? { ...now, ...(data as Task), stale: now.stale } : now))
      }),
    [onEvent, taskId, reload, set],
  )

  const card = useCard(taskId)
  return {
    // The card may be newer than the texts and lists that only the whole task has: changes of those go by its version.
    task: task && card ? { ...task, ...card, checks: task.checks, stale: task.stale, version: task.version } : task,
    error: error instanceof NotFoundError || !task ? error : undefined,
    deletion,
    reload,
    accept: (next) => {
      tasks.add([next])
      set((now) => (now.version > next.version ? now : next))
    },
  }
}

/** Changes fields that only the open task shows, undoably; says why where the service refuses. */
export const useTaskUpdate = (task: Task, accept: (task: Task) => void) => {
  const app = useConsole()
  const { client, toasts, undo } = app
  return async (patch: UpdateTaskBody): Promise<void> => {
    try {
      const { id } = task
      const requestId = newRequestId()
      accept(await client.tasks.update(id, patch, { requestId }))
      undo.push(undoOf(app, `${id} changed`, requestId))
    } catch (error) {
      toasts.error(`${task.id} was not changed. ${errorText(error)}`)
    }
  }
}

/** Adds a value to a list that only the open task shows, or removes it: undoably, with the reason where it is refused. */
export const useTaskList = (task: Task, field: 'blockedBy' | 'resources', accept: (task: Task) => void) => {
  const app = useConsole()
  const { client, toasts, undo } = app
  const { id } = task
  return async (value: string, isIn: boolean): Promise<void> => {
    try {
      const requestId = newRequestId()
      const changed = await editList(task, {
        read: () => client.tasks.get(id),
        write: (now) =>
          client.tasks.update(id, { [field]: withValue(now[field], value, isIn) }, { ifMatch: now.version, requestId }),
      })
      accept(changed)
      undo.push(undoOf(app, `${value} ${isIn ? 'added to' : 'removed from'} ${id}`, requestId))
    } catch (error) {
      toasts.error(`${id} was not changed. ${errorText(error)}`)
    }
  }
}
