import { useEffect, useMemo, useState } from 'react'
import { isChangeOf } from 'worklore-client'
import { useNow } from '../../components/time'
import { formatQuery, listOf, useQuery } from '../../query'
import { useConsole } from '../../store/console'
import { useObservable } from '../../store/observable'
import { type Sort, sorts, type TaskCard } from '../../store/task-card'
import { allProjects } from '../../store/tasks'
import { isFiltered, isTimed, matcherOf } from './matcher'
import { useKnownQuery } from './use-known-query'
import { useWaiting } from './use-waiting'

/** A board of a project is ordered by hand, one of all by priority, the others as the address says. */
export const useSort = (view: string, isOfProject: boolean): Sort => {
  const { sort = '' } = useQuery()
  if (view === 'board') return isOfProject ? 'rank' : 'priority'
  const name = sort.replace(/^-/, '')
  return Object.hasOwn(sorts, name) && (name !== 'rank' || isOfProject) ? (name as Sort) : 'priority'
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
      const of = projectId === allProjects ? {} : { projectId }
      for await (const page of client.tasks.cards({ ...of, createdBy: key, limit: 1_000 }, { signal }).pages()) {
        for (const { id } of page.data) ids.add(id)
        publish()
        if (ids.size >= maxCreated) return
      }
    }
    // A key that does not exist has created nothing.
    Promise.allSettled(keys.map(read)).then(() => controller.signal.aborted || publish())
    const stop = onEvent((event) => {
      if (!isChangeOf(event, 'task') || !('title' in event.data)) return
      const { id, createdBy: actor } = event.data
      if (!keyIds.includes(actor.keyId) || ids.has(id)) return
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

/** The cards of a project, or of all, that the filter in the address lets through, in order; null until that is known. */
export const useFilteredCards = (projectId: string, view: string): readonly TaskCard[] | null => {
  const { tasks, projects, me } = useConsole()
  const revision = useObservable(tasks.revision)
  const { task: _, edit: __, ...query } = useKnownQuery()
  const userId = useObservable(me).user?.id
  const created = useCreatedBy(projectId, query.createdBy ?? '')
  const waiting = useWaiting(projectId, listOf(query.state).includes('ready'))
  const sort = useSort(view, projectId !== allProjects)
  const cards = tasks.cardsOf(projectId, sort)
  const nowMs = useNow()
  const tick = isTimed(query) ? Math.floor(nowMs / 10_000) : 0
  // Whether a task is ready depends on others, which `cards` may not hold.
  const others = query.state ? revision : 0
  const text = formatQuery(query)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the query, the tick for the time
  return useMemo(() => {
    if (query.createdBy && !created) return null
    const matches = matcherOf(query, { tasks, projects, nowMs, userId, created: created ?? none, waiting })
    const shown = isFiltered(query) ? cards.filter(matches) : cards
    return view !== 'board' && query.sort?.startsWith('-') ? shown.toReversed() : shown
  }, [cards, text, view, userId, created, waiting, tick, others])
}
