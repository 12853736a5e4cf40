import { type Awaitable, isPromise } from '../base/awaitable.js'
import { unavailable } from '../base/errors.js'
import { createFairSlots, type SlotWaiter } from '../scheduling/fair-slots.js'

export interface WorkSlotSettings {
  /** Calls of all tenants that are at work at once. */
  slots: number
  /** Calls that wait for a slot, of all tenants together; each tenant has its part of them. */
  maxWaiting: number
  maxWaitMs: number
}

export const workSlotSettings: WorkSlotSettings = { slots: 512, maxWaiting: 2_000, maxWaitMs: 5_000 }

/** A tenant's waiting calls, as a multiple of its share. */
const waitingPerShare = 3
const checkEveryMs = 250

interface WaitingCall extends SlotWaiter {
  untilMs: number
  refuse(): void
}

export interface WorkSlots {
  /**
   * Runs a call's work, at once where the tenant has fewer than its `share` at work. Otherwise it waits its turn, and
   * is refused where that does not come soon.
   */
  run<T>(tenantId: string, share: number, work: () => Awaitable<T>): Awaitable<T>
  waiting(): number
}

const tooMany = () => unavailable('Too many requests of this tenant are at work. Try again shortly.', 1)

/** Lets no tenant have more calls at work than its share, and serves tenants in turn when all slots are taken. */
export const createWorkSlots = (settings: WorkSlotSettings = workSlotSettings): WorkSlots => {
  const slots = createFairSlots<WaitingCall>(settings.slots, (held, share) => held < share)
  const { queue } = slots
  let timer: NodeJS.Timeout | undefined

  const runNow = <T>(tenantId: string, work: () => Awaitable<T>): Awaitable<T> => {
    let result: Awaitable<T>
    try {
      result = work()
    } catch (error) {
      slots.release(tenantId)
      throw error
    }
    if (isPromise(result)) return result.finally(() => slots.release(tenantId))
    slots.release(tenantId)
    return result
  }

  const check = (): void => {
    const nowMs = performance.now()
    for (const { refuse } of queue.takeWhile(({ untilMs }) => untilMs <= nowMs)) refuse()
    if (queue.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const hasRoom = (tenantId: string, share: number): boolean => {
    const waiting = queue.sizeOf(tenantId)
    const part = Math.floor(settings.maxWaiting / (queue.groups + (waiting === 0 ? 1 : 0)))
    return waiting < Math.max(1, Math.min(waitingPerShare * share, part))
  }

  const turn = (tenantId: string, share: number): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!hasRoom(tenantId, share)) return reject(tooMany())
      const untilMs = performance.now() + settings.maxWaitMs
      queue.push(tenantId, { group: tenantId, share, untilMs, begin: resolve, refuse: () => reject(tooMany()) })
      timer ??= setInterval(check, checkEveryMs).unref()
    })

  return {
    run: (tenantId, share, work) => {
      if (slots.tryTake(tenantId, share)) return runNow(tenantId, work)
      return turn(tenantId, share).then(() => runNow(tenantId, work))
    },
    waiting: () => queue.size,
  }
}
