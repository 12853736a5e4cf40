import { useMemo } from 'react'
import { useNow } from '../../components/time'
import { formatQuery, listOf, useQuery } from '../../query'
import { useConsole } from '../../store/console'
import { useObservable } from '../../store/observable'
import { type Sort, sorts, type TaskCard } from '../../store/task-card'
import { allProjects } from '../../store/tasks'
import { isFiltered, isTimed, matcherOf } from './matcher'
import { useKnownQuery } from './use-known-query'
import { useReadiness } from './use-readiness'

/** A board of a project is ordered by hand, one of all by priority, the others as the address says. */
export const useSort = (view: string, isOfProject: boolean): Sort => {
  const { sort = '' } = useQuery()
  if (view === 'board') return isOfProject ? 'rank' : 'priority'
  const name = sort.replace(/^-/, '')
  return Object.hasOwn(sorts, name) && (name !== 'rank' || isOfProject) ? (name as Sort) : 'priority'
}

/** The cards of a project, or of all, that the filter in the address lets through, in order. */
export const useFilteredCards = (projectId: string, view: string): readonly TaskCard[] => {
  const { tasks, projects, me } = useConsole()
  useObservable(tasks.revision)
  const { task: _, edit: __, ...query } = useKnownQuery()
  const { key, user } = useObservable(me)
  useReadiness(projectId, listOf(query.state).includes('ready'))
  const sort = useSort(view, projectId !== allProjects)
  const cards = tasks.cardsOf(projectId, sort)
  const nowMs = useNow()
  const tick = isTimed(query) ? Math.floor(nowMs / 10_000) : 0
  const text = formatQuery(query)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the query, the tick for the time
  return useMemo(() => {
    const matches = matcherOf(query, { tasks, projects, nowMs, keyId: key.id, userId: user?.id })
    const shown = isFiltered(query) ? cards.filter(matches) : cards
    return view !== 'board' && query.sort?.startsWith('-') ? shown.toReversed() : shown
  }, [cards, text, view, key.id, user?.id, tick])
}
