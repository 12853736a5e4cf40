import { useMemo } from 'react'
import { errorText } from '../api/error-text'
import { useConsole } from '../store/console'
import { priorityNames, type Status, statuses, statusNames, type TaskCard } from '../store/task-card'
import type { CardPatch } from '../store/tasks'

const inverseOf = (card: TaskCard, patch: CardPatch): CardPatch => {
  const inverse: Record<string, unknown> = {}
  for (const field of Object.keys(patch) as (keyof CardPatch)[]) {
    if (field === 'assigneeId') inverse.assigneeId = card.assignee?.id ?? null
    else inverse[field] = card[field as keyof TaskCard]
  }
  return inverse
}

const describe = (id: string, patch: CardPatch): string => {
  if (patch.status) return `${id} → ${statusNames[patch.status]}`
  if (patch.priority) return `${id}: ${priorityNames[patch.priority]} priority`
  if (patch.assigneeId !== undefined) {
    return patch.assignee ? `${id} assigned to ${patch.assignee.name}` : `${id} unassigned`
  }
  return `${id} changed`
}

/** Changes of tasks as a person makes them: shown at once, taken back with a message if refused, and undoable. */
export const useTaskActions = () => {
  const { tasks, toasts, undo, client } = useConsole()
  return useMemo(() => {
    const change = async (id: string, patch: CardPatch, before = tasks.card(id)): Promise<boolean> => {
      const changed = tasks.change(id, patch)
      const canUndo = before && !('attempts' in patch) && !('blockedBy' in patch)
      // At once, like the change itself: `u` takes back what was done last, answered or not.
      const entry = canUndo && {
        what: describe(id, patch),
        run: () => changed.then(() => tasks.change(id, inverseOf(before, patch))),
      }
      if (entry) undo.push(entry)
      try {
        await changed
        return true
      } catch (error) {
        if (entry) undo.remove(entry)
        toasts.error(`${id} was not changed. ${errorText(error)}`)
        return false
      }
    }

    const restore = async (id: string): Promise<void> => {
      try {
        const { data } = await client.trash.list({ kind: 'task', limit: 100 })
        const entry = data.find(({ task }) => task === id)
        if (entry) await client.trash.restore(entry.id)
        toasts.info(entry ? `${id} is back` : `${id} is no longer in the trash`)
      } catch (error) {
        toasts.error(errorText(error))
      }
    }

    return {
      change,
      moveBy: (id: string, step: 1 | -1): void => {
        const card = tasks.card(id)
        const next: Status | undefined = card && statuses[statuses.indexOf(card.status) + step]
        if (next && next !== 'cancelled') void change(id, { status: next })
      },
      release: async (id: string): Promise<void> => {
        if (await change(id, { status: 'todo' })) toasts.info(`${id} is released and back in To do`)
      },
      retry: async (id: string): Promise<void> => {
        if (await change(id, { attempts: 0, status: 'todo' })) toasts.info(`${id} can be claimed again`)
      },
      remove: async (id: string, force: boolean): Promise<void> => {
        await tasks.remove(id, force)
        toasts.info(`${id} is in the trash`, {
          label: 'Restore',
          run: () => void restore(id),
        })
      },
      undoLast: async (): Promise<void> => {
        const entry = undo.pop()
        if (!entry) return toasts.info('There is nothing to undo')
        try {
          await entry.run()
          toasts.info(`Undone: ${entry.what}`)
        } catch (error) {
          toasts.error(`Could not undo “${entry.what}”. ${errorText(error)}`)
        }
      },
    }
  }, [tasks, toasts, undo, client])
}
