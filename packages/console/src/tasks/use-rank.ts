import { useMemo } from 'react'
import { errorText } from '../api/error-text'
import type { Place } from '../store/cards/task-card'
import { useConsole } from '../store/console'
import type { UndoEntry } from '../store/undo-stack'
import { newRequestId, undoRequest } from '../undo/undo-request'
import { endsClaim, heldTasks, mayEndClaims, tellEnded } from './end-claims'
import { placeOf, rankTask } from './rank-task'
import { describeChange, useTaskActions } from './use-task-actions'

/** Puts a task elsewhere among those of its project, and into another status if one is given; undoable. */
export const useRank = () => {
  const console = useConsole()
  const { orExplain } = useTaskActions()
  return useMemo(() => {
    const { tasks, projects, toasts, undo } = console
    return async (id: string, place: Place, status?: string): Promise<void> => {
      const before = tasks.card(id)
      const back = placeOf(tasks, id)
      if (!before || !back) return
      const held = status ? heldTasks(console, [id], status) : []
      if (held.length > 0 && !(await mayEndClaims(console, held, status!))) return
      const requestId = newRequestId()
      const set = status === undefined ? undefined : tasks.change(id, { status }, { requestId })
      const ranked = rankTask(console, id, place, set)
      const project = projects.get(before.projectId)
      const isFinal = status === 'todo' && endsClaim(before, status, project)
      const entry: UndoEntry = {
        what: status ? describeChange(id, { status }, project) : `${id} reordered`,
        // Ranks are not in the history, so the task is ranked again where it was.
        run: isFinal
          ? null
          : async () => {
              await Promise.allSettled([set, ranked])
              const unset = set && undoRequest(console, requestId)
              await Promise.all([unset, rankTask(console, id, back, unset)])
              return true
            },
      }
      undo.push(entry)
      const [isSet, refusal] = await Promise.all([
        set ? orExplain(id, set) : false,
        ranked.then(
          () => null,
          (error: unknown) => error,
        ),
      ])
      if (isSet && held.length > 0) tellEnded(console, held, entry)
      if (refusal && (isSet || !set)) toasts.error(`${id} was not reordered. ${errorText(refusal)}`)
      if (refusal && !isSet) undo.remove(entry)
    }
  }, [console, orExplain])
}
