import { type Awaitable, isPromise } from '../base/awaitable.js'
import type { AppError } from '../base/errors.js'
import { createFairQueue } from './fair-queue.js'

/** Groups whose count stays when it is zero: to add and to delete an entry with each job costs more. */
const idleGroupsKept = 1_000
const checkEveryMs = 250

export interface FairSlots {
  /**
   * Runs a job of a group, immediately if the group may hold one more slot. Otherwise the job waits for its group's
   * turn or is refused.
   */
  run<T>(group: string, share: number, work: () => Awaitable<T>): Awaitable<T>
  /** The number of slots that are held, and of jobs that wait for one. */
  load(): { running: number; waiting: number }
}

interface WaitingLimits {
  /** Maximum number of waiting jobs of all groups. Each group with waiting jobs gets an equal share of it. */
  max: number
  /** Maximum number of waiting jobs of one group, as a multiple of its share. */
  perShare: number
  maxMs: number
  /** Whether the time restarts with each release of a slot, so that a queue that moves is served however long it is. */
  isForStandstill?: true
  refusal(): AppError
}

interface SlotSettings {
  slots: number
  /** Whether a group that holds `held` slots may take one more of the `free` slots. */
  mayHoldMore(held: number, share: number, free: number): boolean
  /** Omitted if callers limit the number of waiting jobs themselves. */
  waiting?: WaitingLimits
}

interface Waiter {
  group: string
  share: number
  sinceMs: number
  begin(): void
  refuse(error: AppError): void
}

/**
 * Creates slots that groups share. Waiting groups get slots in turn, as soon as they may hold them. Waiting jobs of one
 * group start in order.
 */
export const createFairSlots = ({ slots, mayHoldMore, waiting: limits }: SlotSettings): FairSlots => {
  const held = new Map<string, number>()
  const queue = createFairQueue<Waiter>()
  let free = slots
  let releasedAtMs = 0
  let timer: NodeJS.Timeout | undefined

  const mayTake = ({ group, share }: Pick<Waiter, 'group' | 'share'>): boolean =>
    free > 0 && mayHoldMore(held.get(group) ?? 0, share, free)

  const take = (group: string): void => {
    free--
    held.set(group, (held.get(group) ?? 0) + 1)
  }

  const release = (group: string): void => {
    free++
    const left = held.get(group)! - 1
    if (left === 0 && held.size > idleGroupsKept) held.delete(group)
    else held.set(group, left)
    if (queue.size === 0) return
    releasedAtMs = performance.now()
    for (let next = queue.take(mayTake); next; next = queue.take(mayTake)) {
      take(next.group)
      next.begin()
    }
  }

  /** Runs a job whose slot has been taken, and releases the slot. */
  const runNow = <T>(group: string, work: () => Awaitable<T>): Awaitable<T> => {
    let result: Awaitable<T>
    try {
      result = work()
    } catch (error) {
      release(group)
      throw error
    }
    if (isPromise(result)) return result.finally(() => release(group))
    release(group)
    return result
  }

  const refuseLate = ({ maxMs, isForStandstill, refusal }: WaitingLimits): void => {
    const startedBeforeMs = performance.now() - maxMs
    const isLate = ({ sinceMs }: Waiter): boolean =>
      (isForStandstill ? Math.max(sinceMs, releasedAtMs) : sinceMs) <= startedBeforeMs
    for (const { refuse } of queue.takeWhile(isLate)) refuse(refusal())
    if (queue.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const hasRoom = (group: string, share: number, { max, perShare }: WaitingLimits): boolean => {
    const waiting = queue.sizeOf(group)
    const part = Math.floor(max / (queue.groups + (waiting === 0 ? 1 : 0)))
    return waiting < Math.max(1, Math.min(perShare * share, part))
  }

  const turn = (group: string, share: number): Promise<void> =>
    new Promise((begin, refuse) => {
      if (limits && !hasRoom(group, share, limits)) return refuse(limits.refusal())
      queue.push(group, { group, share, sinceMs: performance.now(), begin, refuse })
      if (limits) timer ??= setInterval(refuseLate, checkEveryMs, limits)
    })

  return {
    run: (group, share, work) => {
      if (!mayTake({ group, share })) return turn(group, share).then(() => runNow(group, work))
      take(group)
      return runNow(group, work)
    },
    load: () => ({ running: slots - free, waiting: queue.size }),
  }
}
