import { NetworkError, type Project, taskCardFields, type UpdateTaskBody, type VersionOptions } from 'worklore-client'
import type { Client } from '../api/client'
import { untilOnline, untilReachable } from '../api/until-reachable'
import type { CardReader } from './card-reader'
import { editList } from './edit-list'
import { createObservable, createRevision, type Observable } from './observable'
import { createSortedCards, type SortedCards } from './sorted-cards'
import { statusIn } from './statuses'
import {
  type CardSource,
  type Category,
  cardOf,
  categories,
  isOpen,
  isSameCard,
  orderOf,
  type Sort,
  sorts,
  type TaskCard,
  type TaskEvent,
} from './task-card'

/** Cards shown at first, for each column. */
const firstCards = 60
const cardsPerPage = 1_000
/** A project with more tasks than this shows the newest ones. */
const maxCards = 20_000
/** Deleted tasks remembered; older ones can no longer be on their way in a page. */
const maxDeleted = 2_000

/** In place of a project's id: tasks of all projects. */
export const allProjects = ''

interface ProjectLoad {
  state: 'loading' | 'ready' | 'failed'
  isComplete: boolean
  /** No more are read, though there are some. */
  isCut?: true
  error?: unknown
}

/** A change that was made here and not yet confirmed by the service. */
interface PendingChange {
  fields: Partial<TaskCard>
}

export type CardPatch = UpdateTaskBody & { assignee?: TaskCard['assignee'] }

/** How a change is sent: `requestId` is the ID that it can be undone by. */
export type WriteOptions = Pick<VersionOptions, 'ifMatch' | 'requestId'>

export interface Tasks {
  /** Rises when any card changed, at most once per frame. */
  revision: Observable<number>
  card(id: string): TaskCard | undefined
  cards(): IterableIterator<TaskCard>
  /** The cards of a project in an order; the same array as long as none of them has changed. */
  cardsOf(projectId: string, sort?: Sort): readonly TaskCard[]
  /** Loads a project's cards once; the ones at the top of each status first, in the order in which they are shown. */
  load(projectId: string, sort: Sort): Observable<ProjectLoad>
  /** Tries again after a failure. */
  retryLoad(projectId: string, sort: Sort): void
  add(tasks: readonly CardSource[]): void
  /** Reads a card again, soon and together with others. */
  reread(id: string): void
  apply(event: TaskEvent): void
  /** Comments and open questions come and go without an event of their task. */
  count(taskId: string, what: 'commentCount' | 'openQuestions', change: 1 | 0 | -1): void
  renameAssignee(userId: string, name: string | null): void
  removeProject(projectId: string): void
  /** Shows the change at once, and takes it back if the service refuses. */
  change(id: string, patch: CardPatch, options?: WriteOptions): Promise<TaskCard>
  /** Shows fields of a card until what is sent was answered. */
  settle<T>(id: string, fields: Partial<TaskCard>, send: () => Promise<T>): Promise<T>
  setRank(id: string, rank: number): void
  /** Adds or removes labels, whatever others do to them meanwhile. */
  editLabels(id: string, edit: (labels: readonly string[]) => string[], options?: WriteOptions): Promise<void>
  remove(id: string, options: WriteOptions & { force: boolean }): Promise<void>
  /** Reads everything again. */
  reset(): void
}

const cardFields = new Set<string>(taskCardFields)
const shownFields = (patch: CardPatch): Partial<TaskCard> =>
  Object.fromEntries(Object.entries(patch).filter(([name, value]) => cardFields.has(name) && value !== undefined))

const ordered = (card: TaskCard): TaskCard => ({ ...card, order: orderOf(card) })

export const createTasks = (client: Client, projectOf: (id: string) => Project | undefined): Tasks => {
  const known = new Map<string, TaskCard>()
  /** What is shown where it differs from what is known. */
  const shown = new Map<string, TaskCard>()
  const pending = new Map<string, PendingChange[]>()
  /** Versions at which tasks were deleted: a page read before must not bring them back. */
  const deleted = new Map<string, number>()
  const loads = new Map<string, Observable<ProjectLoad>>()
  const lists = new Map<string, Map<Sort, SortedCards>>()
  const { observable: revision, touch } = createRevision()

  const card = (id: string): TaskCard | undefined => shown.get(id) ?? known.get(id)

  function* cards(): IterableIterator<TaskCard> {
    for (const id of known.keys()) yield card(id)!
  }

  const setInLists = (projectId: string, id: string, card: TaskCard | undefined): void => {
    for (const of of [projectId, allProjects]) for (const list of lists.get(of)?.values() ?? []) list.set(id, card)
  }

  const show = (id: string): void => {
    const card = known.get(id)
    const changes = pending.get(id)
    if (card && changes?.length) shown.set(id, ordered(Object.assign({}, card, ...changes.map(({ fields }) => fields))))
    else shown.delete(id)
    if (card) setInLists(card.projectId, id, shown.get(id) ?? card)
    touch()
  }

  const adjustParent = (id: string | null, total: number, open: number): void => {
    const parent = id === null ? undefined : known.get(id)
    if (!parent || (total === 0 && open === 0)) return
    const children = { total: parent.children.total + total, open: parent.children.open + open }
    known.set(parent.id, { ...parent, children })
    show(parent.id)
  }

  const put = (card: TaskCard): void => {
    const before = known.get(card.id)
    if (before && (before.version > card.version || isSameCard(before, card))) return
    if ((deleted.get(card.id) ?? 0) >= card.version) return
    if (before && before.projectId !== card.projectId) setInLists(before.projectId, card.id, undefined)
    known.set(card.id, ordered(card))
    show(card.id)
  }

  /** An answer: ranks have no version, and of those in one project, what events tell is never older. */
  const putAnswer = (card: TaskCard): void => {
    const before = known.get(card.id)
    put(before?.projectId === card.projectId ? { ...card, rank: before.rank } : card)
  }

  const setRank = (id: string, rank: number): void => {
    const card = known.get(id)
    if (!card || card.rank === rank) return
    known.set(id, { ...card, rank })
    show(id)
  }

  const add = (tasks: readonly CardSource[]): void => {
    for (const task of tasks) putAnswer(cardOf(task, card))
  }

  const forget = (id: string): void => {
    const card = known.get(id)
    if (!card) return
    known.delete(id)
    setInLists(card.projectId, id, undefined)
    show(id)
  }

  const cardsOf = (projectId: string, sort: Sort = 'priority'): readonly TaskCard[] => {
    const ofProject = lists.get(projectId) ?? new Map<Sort, SortedCards>()
    lists.set(projectId, ofProject)
    let list = ofProject.get(sort)
    if (!list) {
      list = createSortedCards(
        [...cards()].filter((card) => projectId === allProjects || card.projectId === projectId),
        sorts[sort],
      )
      ofProject.set(sort, list)
    }
    return list.read()
  }

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
  /** Loaded when it is first needed, so that no page has to wait for it. */
  const readAgain = (request: (reader: CardReader) => void): void => {
    reader ??= import('./card-reader').then(({ createCardReader }) => createCardReader(client, add, loadAgain))
    reader.then(request, () => undefined)
  }
  const reread = (id: string): void => readAgain(({ readCard }) => readCard(id))

  /** Updates the blockers of other tasks. Only a task that becomes unblocked gets an event. */
  const updateDependents = ({ id: blockerId, statusCategory }: TaskCard, previous: TaskEvent['previous']): void => {
    const { status, statusCategory: before = status } = (previous ?? {}) as Partial<Record<string, Category>>
    const isNowOpen = isOpen(statusCategory)
    if (before === undefined || isOpen(before) === isNowOpen) return
    if (isNowOpen) {
      readAgain(({ readDependents }) => readDependents(blockerId))
      return
    }
    for (const card of known.values()) {
      if (!card.openBlockerIds.includes(blockerId)) continue
      const openBlockerIds = card.openBlockerIds.filter((id) => id !== blockerId)
      known.set(card.id, { ...card, openBlockerIds, openBlockers: card.openBlockers - 1 })
      show(card.id)
    }
  }

  const settle = async <T>(id: string, fields: Partial<TaskCard>, send: () => Promise<T>): Promise<T> => {
    const change: PendingChange = { fields }
    pending.set(id, [...(pending.get(id) ?? []), change])
    show(id)
    try {
      return await send()
    } finally {
      const left = (pending.get(id) ?? []).filter((each) => each !== change)
      if (left.length > 0) pending.set(id, left)
      else pending.delete(id)
      show(id)
    }
  }

  const update = async (id: string, body: UpdateTaskBody, options: WriteOptions): Promise<TaskCard> => {
    const changed = cardOf(await client.tasks.update(id, body, options), card)
    putAnswer(changed)
    return changed
  }

  return {
    revision,
    card,
    cards,
    cardsOf,
    load: (projectId, sort) => {
      const existing = loads.get(projectId)
      if (existing) return existing
      const load = createObservable<ProjectLoad>({ state: 'loading', isComplete: false })
      loads.set(projectId, load)
      void loadAll(projectId, load, sort)
      return load
    },
    retryLoad: (projectId, sort) => {
      const load = loads.get(projectId)
      load?.set({ state: 'loading', isComplete: false })
      if (load) void loadAll(projectId, load, sort)
    },
    add,
    reread,
    apply: (event) => {
      const { data, previous } = event
      const before = known.get(data.id)
      if (event.type === 'task.deleted') {
        deleted.set(data.id, data.version)
        if (deleted.size > maxDeleted) deleted.delete(deleted.keys().next().value!)
        if (before) adjustParent(before.parentId, -1, isOpen(before.statusCategory) ? -1 : 0)
        forget(data.id)
        return
      }
      // A project that a task leaves is told its ids alone.
      if (!('title' in data)) {
        if (before?.projectId === data.projectId) return
        if (before) adjustParent(before.parentId, -1, isOpen(before.statusCategory) ? -1 : 0)
        forget(data.id)
        return
      }
      const changed = cardOf(data.truncated && before ? { ...data, checks: before.checks } : data, card)
      const isNew = event.type === 'task.created' || (event.type as string) === 'task.restored'
      if (isNew && !before) adjustParent(changed.parentId, 1, isOpen(changed.statusCategory) ? 1 : 0)
      else if (before && previous && ('status' in previous || 'parentId' in previous)) {
        adjustParent(before.parentId, -1, isOpen(before.statusCategory) ? -1 : 0)
        adjustParent(changed.parentId, 1, isOpen(changed.statusCategory) ? 1 : 0)
      }
      put(changed)
      if (event.type === 'task.ranked') {
        for (const { id, rank } of event.data.respaced ?? []) setRank(id, rank)
      }
      // Of projects that nobody looked at, only open work is kept.
      const isLookedAt = loads.has(changed.projectId) || loads.has(allProjects)
      if (!isLookedAt && !isOpen(changed.statusCategory)) forget(changed.id)
      updateDependents(changed, previous)
      // Which of its blockers are open is not known here.
      if (changed.openBlockerIds.length !== changed.openBlockers) reread(changed.id)
    },
    count: (taskId, what, change) => {
      const card = known.get(taskId)
      if (!card) return
      known.set(taskId, { ...card, [what]: Math.max(0, card[what] + change) })
      show(taskId)
    },
    renameAssignee: (userId, name) => {
      for (const [id, card] of known) {
        if (card.assignee?.id !== userId) continue
        known.set(id, { ...card, assignee: name === null ? null : { id: userId, name } })
        show(id)
      }
    },
    removeProject: (projectId) => {
      for (const [id, card] of known) if (card.projectId === projectId) forget(id)
      loads.delete(projectId)
      lists.delete(projectId)
    },
    change: (id, patch, options = {}) => {
      const { assignee: _, ...body } = patch
      const fields = shownFields(patch)
      if (body.status) {
        const { status, category } = statusIn(projectOf(card(id)?.projectId ?? ''), body.status)
        Object.assign(fields, { status, statusCategory: category })
      }
      return settle(id, fields, () => update(id, body, options))
    },
    settle,
    setRank,
    editLabels: async (id, edit, options = {}) => {
      const now = known.get(id) ?? cardOf(await client.tasks.get(id))
      await settle(id, { labels: edit(card(id)?.labels ?? now.labels) }, () =>
        editList(now, {
          read: async () => cardOf(await client.tasks.get(id)),
          write: ({ labels, version }) => update(id, { labels: edit(labels) }, { ...options, ifMatch: version }),
        }),
      )
    },
    remove: async (id, options) => {
      await client.tasks.delete(id, options)
      forget(id)
    },
    reset: () => {
      known.clear()
      shown.clear()
      deleted.clear()
      lists.clear()
      loadAgain()
      touch()
    },
  }
}
