import { useMemo } from 'react'
import { ConflictError, type Project } from 'worklore-client'
import { errorText } from '../api/error-text'
import { useTellDeleted } from '../lifecycle/use-restore'
import { useSetQuery } from '../query'
import { withValue } from '../store/cards/edit-list'
import { statusesOf, statusIn } from '../store/cards/statuses'
import { priorityNames } from '../store/cards/task-card'
import type { CardPatch } from '../store/cards/tasks'
import { useConsole } from '../store/console'
import type { UndoEntry } from '../store/undo-stack'
import { newRequestId, undoOf } from '../undo/undo-request'
import { endsClaim, type HeldTask, heldTasks, mayEndClaims, tellEnded } from './end-claims'

export const describeChange = (id: string, patch: CardPatch, project: Project | undefined): string => {
  if (patch.status) return `${id} → ${statusIn(project, patch.status).name}`
  if (patch.priority) return `${id}: ${priorityNames[patch.priority]} priority`
  if (patch.assigneeId !== undefined) {
    return patch.assignee ? `${id} assigned to ${patch.assignee.name}` : `${id} unassigned`
  }
  return `${id} changed`
}

/** Task changes by a person: optimistic, reverted with a message if refused, undoable. */
export const useTaskActions = () => {
  const console = useConsole()
  const tellDeleted = useTellDeleted()
  const setQuery = useSetQuery()
  return useMemo(() => {
    const { tasks, projects, toasts, undo } = console
    /** Undoable before the service has answered: `u` reverts the last change, confirmed or not. */
    const undoable = async <T>(changed: Promise<T>, entry: UndoEntry): Promise<T> => {
      undo.push(entry)
      try {
        return await changed
      } catch (error) {
        undo.remove(entry)
        throw error
      }
    }

    /** Resolves with whether the service accepted the change; says why where it did not. */
    const orExplain = async (id: string, changed: Promise<unknown>): Promise<boolean> => {
      try {
        await changed
        return true
      } catch (error) {
        const isUnchecked = error instanceof ConflictError && error.reason === 'checks'
        if (isUnchecked) toasts.error(errorText(error), { label: 'Open', run: () => setQuery({ task: id }) })
        else toasts.error(`${id} was not changed. ${errorText(error)}`)
        return false
      }
    }

    const send = async (id: string, patch: CardPatch, held: readonly HeldTask[]): Promise<boolean> => {
      const before = tasks.card(id)
      const requestId = newRequestId()
      const changed = tasks.change(id, patch, { requestId })
      const project = projects.get(before?.projectId ?? '')
      const entry = undoOf(console, describeChange(id, patch, project), requestId, changed)
      // A task that was taken from its holder is put back into To do, where it is already.
      if (before && patch.status === 'todo' && endsClaim(before, patch.status, project)) entry.run = null
      const isChanged = await orExplain(id, undoable(changed, entry))
      if (isChanged && held.length > 0) tellEnded(console, held, entry)
      return isChanged
    }

    /** Like `orExplain`; resolves with null where the change would end a claim and the person decided against it. */
    const change = async (id: string, patch: CardPatch): Promise<boolean | null> => {
      const held = patch.status ? heldTasks(console, [id], patch.status) : []
      if (held.length > 0 && !(await mayEndClaims(console, held, patch.status!))) return null
      return send(id, patch, held)
    }

    const setLabel = (id: string, label: string, isIn: boolean): Promise<boolean> => {
      const requestId = newRequestId()
      const changed = tasks.editLabels(id, (labels) => withValue(labels, label, isIn), { requestId })
      const what = isIn ? `${id} labelled ${label}` : `${id} without the label ${label}`
      return orExplain(id, undoable(changed, undoOf(console, what, requestId, changed)))
    }

    return {
      change,
      orExplain,
      setLabel,
      moveBy: (id: string, step: 1 | -1): void => {
        const card = tasks.card(id)
        const statuses = statusesOf(card && projects.get(card.projectId))
        const next = card && statuses[statuses.findIndex(({ status }) => status === card.status) + step]
        if (next && next.category !== 'cancelled') void change(id, { status: next.status })
      },
      release: async (id: string): Promise<void> => {
        if (await send(id, { status: 'todo' }, [])) toasts.info(`${id} is released and back in To do`)
      },
      /** Resolves with whether the service accepted it. */
      retry: async (id: string): Promise<boolean> => {
        const isDone = await change(id, { attempts: 0, status: 'todo' })
        if (isDone) toasts.info(`${id} can be claimed again`)
        return isDone === true
      },
      remove: async (id: string, force: boolean): Promise<void> => {
        const requestId = newRequestId()
        await tasks.remove(id, { force, requestId })
        tellDeleted(id, requestId)
      },
    }
  }, [console, tellDeleted, setQuery])
}
