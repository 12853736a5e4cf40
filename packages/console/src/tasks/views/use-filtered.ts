import { useEffect, useMemo, useState } from 'react'
import { listOf, type Query, useQuery } from '../../query'
import { useConsole } from '../../store/console'
import { useObservable } from '../../store/observable'
import { type Sort, sorts, type TaskCard } from '../../store/task-card'

/** In the address; each is a list, but `q`. */
const filterNames = ['q', 'status', 'assignee', 'label', 'priority', 'createdBy'] as const

export type FilterName = (typeof filterNames)[number]

export const noFilter: Query = Object.fromEntries(filterNames.map((name) => [name, undefined]))

export const isFiltered = (query: Query): boolean => filterNames.some((name) => query[name])

/** A board is ordered by hand, the others as the address says. */
export const useSort = (view: string): Sort => {
  const { sort = '' } = useQuery()
  if (view === 'board') return 'rank'
  return Object.hasOwn(sorts, sort) ? (sort as Sort) : 'priority'
}

/** As many as a board shows. */
const maxCreated = 20_000

/** The tasks that keys have created, which cards do not tell; null as long as it is not asked for or not known. */
const useCreatedBy = (projectId: string, createdBy: string): ReadonlySet<string> | null => {
  const { client, me, onEvent, generation } = useConsole()
  const missed = useObservable(generation)
  const [found, setFound] = useState<{ of: string; ids: ReadonlySet<string> } | null>(null)
  const of = `${projectId} ${createdBy}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when changes were missed
  useEffect(() => {
    if (!createdBy) return
    const controller = new AbortController()
    const keys = createdBy.split(',')
    const keyIds = keys.map((key) => (key === 'me' ? me.get().key.id : key))
    const ids = new Set<string>()
    const publish = (): void => setFound({ of, ids: new Set(ids) })
    const read = async (key: string): Promise<void> => {
      const { signal } = controller
      for await (const page of client.tasks.cards({ projectId, createdBy: key, limit: 1_000 }, { signal }).pages()) {
        for (const { id } of page.data) ids.add(id)
        publish()
        if (ids.size >= maxCreated) return
      }
    }
    // A key that does not exist has created nothing.
    Promise.allSettled(keys.map(read)).then(() => controller.signal.aborted || publish())
    const stop = onEvent(({ type, data }) => {
      const { id, createdBy: actor } = data as { id: string; createdBy?: { keyId: string } }
      if (!type.startsWith('task.') || !actor || !keyIds.includes(actor.keyId) || ids.has(id)) return
      ids.add(id)
      publish()
    })
    return () => {
      controller.abort()
      stop()
    }
  }, [client, me, onEvent, projectId, createdBy, of, missed])
  return found?.of === of ? found.ids : null
}

const none: ReadonlySet<string> = new Set()

/** The cards of a project that the filter in the address lets through, in order. */
export const useFilteredCards = (projectId: string, sort: Sort): readonly TaskCard[] => {
  const { tasks, me } = useConsole()
  useObservable(tasks.revision)
  const { q, status, assignee, label, priority, createdBy = '' } = useQuery()
  const userId = useObservable(me).user?.id
  const created = useCreatedBy(projectId, createdBy) ?? none
  const cards = tasks.cardsOf(projectId, sort)
  return useMemo(() => {
    if (!isFiltered({ q, status, assignee, label, priority, createdBy })) return cards
    const text = (q ?? '').toLowerCase()
    const [statuses, labels, priorities] = [listOf(status), listOf(label), listOf(priority)]
    // Nobody's tasks are not those of a key without a user.
    const assignees = listOf(assignee).map((id) => (id === 'me' ? (userId ?? 'me') : id))
    return cards.filter(
      (card) =>
        (text === '' || card.title.toLowerCase().includes(text) || card.id.toLowerCase().includes(text)) &&
        (statuses.length === 0 || statuses.includes(card.status) || statuses.includes(card.statusCategory)) &&
        (assignees.length === 0 || assignees.includes(card.assignee?.id ?? 'none')) &&
        (priorities.length === 0 || priorities.includes(card.priority)) &&
        (labels.length === 0 || card.labels.some((each) => labels.includes(each))) &&
        (createdBy === '' || created.has(card.id)),
    )
  }, [cards, q, status, assignee, label, priority, createdBy, userId, created])
}
