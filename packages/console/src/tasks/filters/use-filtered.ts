import { useMemo } from 'react'
import { useNow } from '../../components/time'
import { formatQuery, listOf, parseQuery, useQuery } from '../../query'
import { allProjects } from '../../store/cards/card-cache'
import { type Sort, sorts, type TaskCard } from '../../store/cards/task-card'
import { useCardView, useMe, useProjects } from '../../store/records'
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

/** What a filter shows changes with time at most this often. */
const filterTickMs = 10_000

/** The cards of a project, or of all, that the filter in the address lets through, in order. */
export const useFilteredCards = (projectId: string, view: string): readonly TaskCard[] => {
  const tasks = useCardView()
  const projects = useProjects()
  const { key, user } = useMe()
  const { task: _, edit: __, ...asked } = useKnownQuery()
  const text = formatQuery(asked)
  useReadiness(projectId, listOf(asked.state).includes('ready'))
  const sort = useSort(view, projectId !== allProjects)
  const cards = tasks.cardsOf(projectId, sort)
  const nowMs = useNow()
  const filterMs = isTimed(asked) ? nowMs - (nowMs % filterTickMs) : 0
  return useMemo(() => {
    const query = parseQuery(text)
    const matches = matcherOf(query, { tasks, projects, nowMs: filterMs, keyId: key.id, userId: user?.id })
    const shown = isFiltered(query) ? cards.filter(matches) : cards
    return view !== 'board' && query.sort?.startsWith('-') ? shown.toReversed() : shown
  }, [cards, text, tasks, projects, view, key.id, user?.id, filterMs])
}
