import { NetworkError } from 'worklore-client'
import type { Client } from '../../api/client'
import { untilOnline, untilReachable } from '../../api/until-reachable'
import { createObservable, type Observable } from '../base/observable'
import { allProjects } from './card-cache'
import type { CardReader } from './card-reader'
import { type CardSource, type Category, categories, isOpen, type Sort } from './task-card'

/** Cards shown at first, for each column. */
const firstCards = 60
const cardsPerPage = 1_000
/** A project with more tasks than this shows the newest ones. */
const maxCards = 20_000

export interface ProjectLoad {
  state: 'loading' | 'ready' | 'failed'
  isComplete: boolean
  /** No more are read, though there are some. */
  isCut?: true
  error?: unknown
}

/** Loads the cards of projects, and some of them again. */
export const createCardLoader = (client: Client, add: (tasks: readonly CardSource[]) => void) => {
  const loads = new Map<string, Observable<ProjectLoad>>()

  const loadAll = async (projectId: string, load: Observable<ProjectLoad>, sort: Sort): Promise<void> => {
    const sortOf = (category: Category) => (sort === 'rank' ? 'rank' : isOpen(category) ? '-priority' : '-updatedAt')
    const of = projectId === allProjects ? {} : { projectId }
    try {
      const [due, ...pages] = await Promise.all([
        client.tasks.cards({ ...of, status: categories.filter(isOpen), sort: 'dueDate', limit: firstCards }),
        ...categories.map((status) => client.tasks.cards({ ...of, status, sort: sortOf(status), limit: firstCards })),
      ])
      for (const page of [due, ...pages]) add(page.data)
      load.set({ state: 'ready', isComplete: !pages.some(({ pagination }) => pagination.hasMore) })
      if (load.get().isComplete) return
      let count = 0
      for await (const page of client.tasks.cards({ ...of, limit: cardsPerPage }).pages()) {
        add(page.data)
        count += page.data.length
        if (count >= maxCards) return load.set({ state: 'ready', isComplete: false, isCut: true })
      }
      load.set({ state: 'ready', isComplete: true })
    } catch (error) {
      load.update((value) => ({ ...value, state: value.state === 'ready' ? 'ready' : 'failed', isCut: true, error }))
      if (!(error instanceof NetworkError)) return
      await untilOnline()
      await untilReachable()
      if (load.get().error === error) await loadAll(projectId, load, sort)
    }
  }

  const loadAgain = (): void => {
    for (const [projectId, load] of loads) void loadAll(projectId, load, 'rank')
  }

  let reader: Promise<CardReader> | undefined
  /** Loads the reader when it is first needed, so that no page has to wait for it. */
  const readAgain = (request: (reader: CardReader) => void): void => {
    reader ??= import('./card-reader').then(({ createCardReader }) => createCardReader(client, add, loadAgain))
    reader.then(request, () => undefined)
  }

  return {
    /** Loads a project's cards once; the ones at the top of each status first, in the order in which they are shown. */
    load: (projectId: string, sort: Sort): Observable<ProjectLoad> => {
      const existing = loads.get(projectId)
      if (existing) return existing
      const load = createObservable<ProjectLoad>({ state: 'loading', isComplete: false })
      loads.set(projectId, load)
      void loadAll(projectId, load, sort)
      return load
    },
    /** Tries again after a failure. */
    retryLoad: (projectId: string, sort: Sort): void => {
      const load = loads.get(projectId)
      load?.set({ state: 'loading', isComplete: false })
      if (load) void loadAll(projectId, load, sort)
    },
    loadAgain,
    /** Reads a card again, soon and together with others. */
    reread: (id: string): void => readAgain(({ readCard }) => readCard(id)),
    /** Reads the cards of the tasks that wait for a task again. */
    rereadDependents: (blockerId: string): void => readAgain(({ readDependents }) => readDependents(blockerId)),
    isLoaded: (projectId: string): boolean => loads.has(projectId) || loads.has(allProjects),
    forgetProject: (projectId: string): void => {
      loads.delete(projectId)
    },
  }
}

export type CardLoader = ReturnType<typeof createCardLoader>
