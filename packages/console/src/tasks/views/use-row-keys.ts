import { useEffect, useRef } from 'react'
import { holdKeys } from '../../keyboard/hold-keys'
import { useKeys } from '../../keyboard/use-keys'
import { useShell } from '../../layout/shell-context'
import { useQuery, useSetQuery } from '../../query'
import { useShown } from '../selection/selection'
import { useSelectionKeys } from '../selection/selection-area'
import { useTaskActions } from '../use-task-actions'
import { useCurrentTask } from './use-current-task'
import { useRanking } from './use-ranking'

/** Moving through a list of tasks by keyboard; gives the selected task. */
export const useRowKeys = (
  ids: readonly string[],
  canWrite: boolean,
  more: Record<string, (id: string) => void> = {},
  /** The ids among which a task is ordered by hand; null where the order is another one. */
  rankedWith: ((id: string) => readonly string[]) | null = null,
) => {
  const { task: openTask } = useQuery()
  const setQuery = useSetQuery()
  const { assign } = useShell()
  const { moveBy } = useTaskActions()
  const [selected, setSelected] = useCurrentTask()
  const lastAt = useRef(0)
  const selectedAt = selected ? ids.indexOf(selected) : -1
  useEffect(() => {
    if (selectedAt >= 0) lastAt.current = selectedAt
  })

  const move = (step: 1 | -1): void => {
    const at = selectedAt < 0 ? lastAt.current : selectedAt + step
    const next = ids[Math.max(0, Math.min(ids.length - 1, at))]
    if (!next) return
    setSelected(next)
    if (openTask) setQuery({ task: next, edit: undefined }, { replace: true })
  }

  const edit = (id: string): void => {
    holdKeys()
    setQuery({ task: id, edit: '1' })
  }

  const ranking = useRanking(selected, () => (selected && rankedWith?.(selected)) || [])
  const own = Object.fromEntries(Object.entries(more).map(([key, run]) => [key, () => selected && run(selected)]))
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    ...(selected && selected !== openTask && { Enter: () => setQuery({ task: selected }) }),
    // An open task edits itself.
    ...(selected && canWrite && !openTask && { e: () => edit(selected) }),
    ...(selected && canWrite && !openTask && { a: () => assign(selected) }),
    ...(selected && canWrite && { '<': () => moveBy(selected, -1), '>': () => moveBy(selected, 1) }),
    ...(canWrite && rankedWith && ranking),
    ...own,
  })
  useShown(ids)
  useSelectionKeys(selected)
  return selected
}
