import { createView } from '../base/observable'
import { createSortedCards, type SortedCards } from './sorted-cards'
import { isSameCard, orderOf, type Sort, sorts, type TaskCard } from './task-card'

/** Deleted tasks remembered; older ones can no longer be on their way in a page. */
const maxDeleted = 2_000

/** In place of a project's id: tasks of all projects. */
export const allProjects = ''

/** The cards that are known. */
export interface CardView {
  card(id: string): TaskCard | undefined
  cards(): IterableIterator<TaskCard>
  /** The cards of a project in an order; the same array as long as none of them has changed. */
  cardsOf(projectId: string, sort?: Sort): readonly TaskCard[]
}

const ordered = (card: TaskCard): TaskCard => ({ ...card, order: orderOf(card) })

/** The cards as the service last told them, with fields on top that it has not confirmed yet. */
export const createCardCache = () => {
  const known = new Map<string, TaskCard>()
  /** Fields that are shown in place of those known. */
  const overlays = new Map<string, Partial<TaskCard>>()
  /** The cards with overlays. */
  const shown = new Map<string, TaskCard>()
  /** Versions at which tasks were deleted: a page read before must not bring them back. */
  const deleted = new Map<string, number>()
  const lists = new Map<string, Map<Sort, SortedCards>>()

  const card = (id: string): TaskCard | undefined => shown.get(id) ?? known.get(id)

  function* cards(): IterableIterator<TaskCard> {
    for (const id of known.keys()) yield card(id)!
  }

  const cardsOf: CardView['cardsOf'] = (projectId, sort = 'priority') => {
    const ofProject = lists.get(projectId) ?? new Map<Sort, SortedCards>()
    lists.set(projectId, ofProject)
    let list = ofProject.get(sort)
    if (!list) {
      const isListed = (each: TaskCard): boolean => projectId === allProjects || each.projectId === projectId
      list = createSortedCards([...cards()].filter(isListed), sorts[sort])
      ofProject.set(sort, list)
    }
    return list.read()
  }

  const { view, touch } = createView((): CardView => ({ card, cards, cardsOf }))

  const setInLists = (projectId: string, id: string, card: TaskCard | undefined): void => {
    for (const of of [projectId, allProjects]) for (const list of lists.get(of)?.values() ?? []) list.set(id, card)
  }

  const show = (id: string): void => {
    const card = known.get(id)
    const overlay = overlays.get(id)
    if (card && overlay) shown.set(id, ordered({ ...card, ...overlay }))
    else shown.delete(id)
    if (card) setInLists(card.projectId, id, shown.get(id) ?? card)
    touch()
  }

  const change = (id: string, fields: Partial<TaskCard>): void => {
    const card = known.get(id)
    if (!card) return
    known.set(id, { ...card, ...fields })
    show(id)
  }

  const put = (card: TaskCard): void => {
    const before = known.get(card.id)
    if (before && (before.version > card.version || isSameCard(before, card))) return
    if ((deleted.get(card.id) ?? 0) >= card.version) return
    if (before && before.projectId !== card.projectId) setInLists(before.projectId, card.id, undefined)
    known.set(card.id, ordered(card))
    show(card.id)
  }

  const forget = (id: string): void => {
    const card = known.get(id)
    if (!card) return
    known.delete(id)
    setInLists(card.projectId, id, undefined)
    show(id)
  }

  return {
    view,
    card,
    cards,
    cardsOf,
    /** The card without unconfirmed changes. */
    confirmed: (id: string): TaskCard | undefined => known.get(id),
    /** Takes over a card that is newer than the one known. */
    put,
    /** The same for a response: ranks have no version, and an event about a rank is never older than a response. */
    putAnswer: (card: TaskCard): void => {
      const before = known.get(card.id)
      put(before?.projectId === card.projectId ? { ...card, rank: before.rank } : card)
    },
    /** Changes fields that have no version. */
    change,
    setRank: (id: string, rank: number): void => {
      if (known.get(id)?.rank !== rank) change(id, { rank })
    },
    renameAssignee: (userId: string, name: string | null): void => {
      for (const [id, { assignee }] of known) {
        if (assignee?.id === userId) change(id, { assignee: name === null ? null : { id: userId, name } })
      }
    },
    /** Takes a closed task off those that it blocked. */
    removeBlocker: (blockerId: string): void => {
      for (const [id, { openBlockerIds, openBlockers }] of known) {
        if (!openBlockerIds.includes(blockerId)) continue
        const left = openBlockerIds.filter((each) => each !== blockerId)
        change(id, { openBlockerIds: left, openBlockers: openBlockers - 1 })
      }
    },
    /** Shows other fields than those known, until it is called with undefined. */
    overlay: (id: string, fields: Partial<TaskCard> | undefined): void => {
      if (fields) overlays.set(id, fields)
      else overlays.delete(id)
      show(id)
    },
    forget,
    /** Forgets a card, also if a page that is on its way has it. */
    forgetDeleted: (id: string, version: number): void => {
      deleted.set(id, version)
      if (deleted.size > maxDeleted) deleted.delete(deleted.keys().next().value!)
      forget(id)
    },
    forgetProject: (projectId: string): void => {
      for (const [id, card] of known) if (card.projectId === projectId) forget(id)
      lists.delete(projectId)
    },
    clear: (): void => {
      known.clear()
      shown.clear()
      deleted.clear()
      lists.clear()
      touch()
    },
  }
}

export type CardCache = ReturnType<typeof createCardCache>
