import { useMemo } from 'react'
import { listOf, useQuery } from '../../query'
import { useConsole } from '../../store/console'
import { useObservable } from '../../store/observable'
import type { TaskCard } from '../../store/task-card'

interface TaskFilter {
  q: string
  status: string[]
  assignee: string[]
  label: string[]
  priority: string[]
}

export const useTaskFilter = (): TaskFilter => {
  const { q = '', status, assignee, label, priority } = useQuery()
  return useMemo(
    () => ({
      q: q.toLowerCase(),
      status: listOf(status),
      assignee: listOf(assignee),
      label: listOf(label),
      priority: listOf(priority),
    }),
    [q, status, assignee, label, priority],
  )
}

const isEmpty = ({ q, status, assignee, label, priority }: TaskFilter): boolean =>
  q === '' && status.length === 0 && assignee.length === 0 && label.length === 0 && priority.length === 0

const matches = (card: TaskCard, { q, status, assignee, label, priority }: TaskFilter): boolean =>
  (q === '' || card.title.toLowerCase().includes(q) || card.id.toLowerCase().includes(q)) &&
  (status.length === 0 || status.includes(card.status) || status.includes(card.statusCategory)) &&
  (assignee.length === 0 || assignee.includes(card.assignee?.id ?? 'none')) &&
  (priority.length === 0 || priority.includes(card.priority)) &&
  (label.length === 0 || card.labels.some((each) => label.includes(each)))

/** The cards of a project that the filter lets through, in order. */
export const useFilteredCards = (projectId: string, filter: TaskFilter): readonly TaskCard[] => {
  const { tasks } = useConsole()
  useObservable(tasks.revision)
  const cards = tasks.cardsOf(projectId)
  return useMemo(() => (isEmpty(filter) ? cards : cards.filter((card) => matches(card, filter))), [cards, filter])
}
