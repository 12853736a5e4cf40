import { type Awaitable, isPromise } from '../base/awaitable.js'
import { unavailable } from '../base/errors.js'
import { createFairQueue } from '../scheduling/fair-queue.js'

export interface WorkSlotSettings {
  /** Calls of all tenants that are at work at once. */
  slots: number
  /** Calls that wait for a slot, of all tenants together; each tenant has its part of them. */
  maxWaiting: number
  longestWaitMs: number
}

export const workSlotSettings: WorkSlotSettings = { slots: 512, maxWaiting: 2_000, longestWaitMs: 5_000 }

/** A tenant's waiting calls, as a multiple of its share. */
const waitingPerShare = 3
const checkEveryMs = 250
/** Tenants whose count stays when it is zero: to add and to delete an entry with each call costs more. */
const idleTenantsKept = 1_000

interface Waiting {
  tenantId: string
  share: number
  untilMs: number
  begin(): void
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
  const atWork = new Map<string, number>()
  const queue = createFairQueue<Waiting>()
  let taken = 0
  let timer: NodeJS.Timeout | undefined

  const isBelowShare = ({ tenantId, share }: Pick<Waiting, 'tenantId' | 'share'>): boolean =>
    (atWork.get(tenantId) ?? 0) < share

  const begin = (tenantId: string): void => {
    taken++
    atWork.set(tenantId, (atWork.get(tenantId) ?? 0) + 1)
  }

  const end = (tenantId: string): void => {
    taken--
    const left = atWork.get(tenantId)! - 1
    if (left === 0 && atWork.size > idleTenantsKept) atWork.delete(tenantId)
    else atWork.set(tenantId, left)
    if (queue.size > 0) beginWaiting()
  }

  const beginWaiting = (): void => {
    while (taken < settings.slots) {
      const next = queue.take(isBelowShare)
      if (!next) return
      begin(next.tenantId)
      next.begin()
    }
  }

  const runNow = <T>(tenantId: string, work: () => Awaitable<T>): Awaitable<T> => {
    let result: Awaitable<T>
    try {
      result = work()
    } catch (error) {
      end(tenantId)
      throw error
    }
    if (isPromise(result)) return result.finally(() => end(tenantId))
    end(tenantId)
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
      const untilMs = performance.now() + settings.longestWaitMs
      queue.push(tenantId, { tenantId, share, untilMs, begin: resolve, refuse: () => reject(tooMany()) })
      timer ??= setInterval(check, checkEveryMs).unref()
    })

  return {
    run: (tenantId, share, work) => {
      if (taken < settings.slots && (atWork.get(tenantId) ?? 0) < share) {
        begin(tenantId)
        return runNow(tenantId, work)
      }
      return turn(tenantId, share).then(() => runNow(tenantId, work))
    },
    waiting: () => queue.size,
  }
}
