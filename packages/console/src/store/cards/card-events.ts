import type { CardCache } from './card-cache'
import type { CardLoader } from './card-loader'
import { type Category, cardOf, isOpen, type TaskCard, type TaskEvent } from './task-card'

/** Keeps cards up to date by the events of their tasks. */
export const createCardEvents = (cache: CardCache, loader: CardLoader) => {
  /** Counts a task as one subtask more or less of its parent. */
  const countChild = ({ parentId, statusCategory }: TaskCard, step: 1 | -1): void => {
    const parent = parentId === null ? undefined : cache.confirmed(parentId)
    if (!parent) return
    const { total, open } = parent.children
    const children = { total: total + step, open: isOpen(statusCategory) ? open + step : open }
    cache.change(parent.id, { children })
  }

  /** Updates the blockers of other tasks. Only a task that becomes unblocked gets an event. */
  const updateDependents = ({ id, statusCategory }: TaskCard, previous: TaskEvent['previous']): void => {
    const { status, statusCategory: before = status } = (previous ?? {}) as Partial<Record<string, Category>>
    const isNowOpen = isOpen(statusCategory)
    if (before === undefined || isOpen(before) === isNowOpen) return
    if (isNowOpen) loader.rereadDependents(id)
    else cache.removeBlocker(id)
  }

  return (event: TaskEvent): void => {
    const { data, previous } = event
    const before = cache.confirmed(data.id)
    if (event.type === 'task.deleted') {
      if (before) countChild(before, -1)
      cache.forgetDeleted(data.id, data.version)
      return
    }
    // A project that a task leaves is told its ids alone.
    if (!('title' in data)) {
      if (before?.projectId === data.projectId) return
      if (before) countChild(before, -1)
      cache.forget(data.id)
      return
    }
    const card = cardOf(data.truncated && before ? { ...data, checks: before.checks } : data, cache.card)
    const isNew = event.type === 'task.created' || (event.type as string) === 'task.restored'
    if (isNew && !before) countChild(card, 1)
    else if (before && previous && ('status' in previous || 'parentId' in previous)) {
      countChild(before, -1)
      countChild(card, 1)
    }
    cache.put(card)
    if (event.type === 'task.ranked') {
      for (const { id, rank } of event.data.respaced ?? []) cache.setRank(id, rank)
    }
    // Of projects that nobody looked at, only open work is kept.
    if (!loader.isLoaded(card.projectId) && !isOpen(card.statusCategory)) cache.forget(card.id)
    updateDependents(card, previous)
    // Which of its blockers are open is not known here.
    if (card.openBlockerIds.length !== card.openBlockers) loader.reread(card.id)
  }
}
