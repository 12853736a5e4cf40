import { createFairQueue } from './fair-queue.js'

/** Groups whose count stays when it is zero: to add and to delete an entry with each job costs more. */
const idleGroupsKept = 1_000

export interface SlotWaiter {
  group: string
  share: number
  /** Called once the waiter has a slot. */
  begin(): void
}

/**
 * Slots that groups share. `mayHoldMore` decides by how many a group holds, its share, and how many are free. Groups that
 * wait get their slots in turn, as soon as they may hold them: those that wait are not overtaken by others of their group.
 */
export const createFairSlots = <W extends SlotWaiter>(
  count: number,
  mayHoldMore: (held: number, share: number, free: number) => boolean,
) => {
  const held = new Map<string, number>()
  const queue = createFairQueue<W>()
  let free = count

  const mayTake = ({ group, share }: Pick<SlotWaiter, 'group' | 'share'>): boolean =>
    free > 0 && mayHoldMore(held.get(group) ?? 0, share, free)

  const take = (group: string): void => {
    free--
    held.set(group, (held.get(group) ?? 0) + 1)
  }

  const beginWaiting = (): void => {
    for (let next = queue.take(mayTake); next; next = queue.take(mayTake)) {
      take(next.group)
      next.begin()
    }
  }

  return {
    /** Those that wait. */
    queue,
    /** Takes a slot if the group may hold one more now. */
    tryTake: (group: string, share: number): boolean => {
      if (!mayTake({ group, share })) return false
      take(group)
      return true
    },
    release: (group: string): void => {
      free++
      const left = held.get(group)! - 1
      if (left === 0 && held.size > idleGroupsKept) held.delete(group)
      else held.set(group, left)
      if (queue.size > 0) beginWaiting()
    },
  }
}
