import { useMemo } from 'react'
import { errorText } from '../api/error-text'
import { useConsole } from '../store/console'
import type { Place } from '../store/task-card'
import type { UndoEntry } from '../store/undo-stack'
import { heldTasks, mayEndClaims, tellEnded } from './end-claims'
import { endsClaim } from './put-back'
import { placeOf, rankTask } from './rank-task'
import { describeChange, useTaskActions } from './use-task-actions'

/** Puts a task elsewhere among those of its project, and into another status if one is given; undoable. */
export const useRank = () => {
  const console = useConsole()
  const { orExplain } = useTaskActions()
  return useMemo(() => {
    const { tasks, projects, toasts, undo } = console
    const send = (id: string, place: Place, status: string | undefined) => {
      const set = status === undefined ? undefined : tasks.change(id, { status })
      return { set, ranked: rankTask(console, id, place, set) }
    }
    return async (id: string, place: Place, status?: string): Promise<void> => {
      const before = tasks.card(id)
      const back = placeOf(tasks, id)
      if (!before || !back) return
      const held = status ? heldTasks(console, [id], status) : []
      if (held.length > 0 && !(await mayEndClaims(console, held, status!))) return
      const { set, ranked } = send(id, place, status)
      const project = projects.get(before.projectId)
      const isTaken = endsClaim(before, status, project)
      const statusBack = isTaken ? 'todo' : before.status
      const entry: UndoEntry = {
        what: status ? describeChange(id, { status }, project) : `${id} reordered`,
        run:
          isTaken && status === statusBack
            ? null
            : async () => {
                await Promise.allSettled([set, ranked])
                await Promise.all(Object.values(send(id, back, status && statusBack)))
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
