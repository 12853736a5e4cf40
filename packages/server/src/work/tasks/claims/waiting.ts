import { anyCommit } from '../../../db/commit-notifier.js'
import type { Db } from '../../../db/port.js'
import { keysTopic, pausesTopic, readyTopic } from '../../../db/topics.js'
import { writableProjects } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import type { OperationCall } from '../../../operations/operation.js'
import { holdOpen, type Wait } from '../../../operations/waiting.js'
import type { NextRequest } from './schema.js'
import { canClaimNext } from './service.js'

declare module '../../../operations/core.js' {
  interface Core {
    readonly readyWaits: ReadyWaits
  }
}

/** Finds what a node that died between its commit and its notification did not tell. */
const pollEveryMs = 1_000
/** How soon after other changes of a tenant the next end of a claim is looked up again. */
const lookAheadAfterMs = 100
/** A timer is set anew at the latest after this. */
const maxTimerMs = 60_000

interface Waiter {
  wake(isOver: boolean): void
  /** Lets it look out of turn. */
  lookNow(): void
}

/** Callers who would be handed the same tasks: of these, one is woken at a time. */
interface Queue {
  /** Calls that may come to wait here. */
  calls: number
  waiting: Waiter[]
  /** Counts what happened: whoever looked before it must look again. */
  changes: number
  /** One of them was woken and is looking. */
  isLooking: boolean
}

interface TenantWaits {
  queues: Map<string, Queue>
  dueTimer?: NodeJS.Timeout | undefined
  lookAheadTimer?: NodeJS.Timeout | undefined
}

interface ReadyWait {
  /** Answers whether to look for a task now, or false when the time is over. */
  next(timeoutMs: number): Promise<boolean>
  /** Ends what `next` waits for. */
  stop(): void
  /** Lets the next in line look, where more may be ready. */
  end(isMoreReady: boolean): void
}

export interface ReadyWaits {
  /** `kind` is the same for callers who would be handed the same tasks. Open it before the first look. */
  open(tenantId: string, kind: string): ReadyWait
  /** Ends all waits: the service stops. */
  close(): void
}

const wakeFirst = (queue: Queue): void => {
  if (queue.isLooking) return
  const first = queue.waiting.shift()
  if (!first) return
  queue.isLooking = true
  first.wake(false)
}

/** The wait of one call. */
const createWait = (queue: Queue, isClosed: () => boolean, onEnd: () => void): ReadyWait => {
  let seen = queue.changes
  let isLooking = false
  let waiter: Waiter | undefined
  const stopLooking = (isMoreReady: boolean): void => {
    isLooking = false
    queue.isLooking = false
    if (isMoreReady || queue.changes !== seen) wakeFirst(queue)
  }
  const stop = (): void => {
    if (!waiter) return
    queue.waiting = queue.waiting.filter((each) => each !== waiter)
    waiter.wake(true)
  }
  return {
    next: (timeoutMs) => {
      if (isClosed() || timeoutMs <= 0) return Promise.resolve(false)
      if (queue.changes !== seen) {
        seen = queue.changes
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        const waiting: Waiter = {
          wake: (isOver) => {
            clearTimeout(timer)
            waiter = undefined
            seen = queue.changes
            isLooking = !isOver
            resolve(!isOver)
          },
          lookNow: () => {
            waiting.wake(false)
            isLooking = false
          },
        }
        const timer = setTimeout(stop, timeoutMs)
        waiter = waiting
        // Whoever looked and found nothing stays the first in line.
        if (isLooking) queue.waiting.unshift(waiting)
        else queue.waiting.push(waiting)
        if (isLooking) stopLooking(false)
      })
    },
    stop,
    end: (isMoreReady) => {
      if (isLooking) stopLooking(isMoreReady)
      else if (isMoreReady) wakeFirst(queue)
      onEnd()
    },
  }
}

/**
 * Those who wait for a task. They hold no lock and run no statement; a task that becomes ready wakes one of each kind,
 * and so does the end of a claim or of a time before which a task must not be begun.
 */
export const createReadyWaits = (
  db: Db,
  nextDueMs: (tenantId: string) => Promise<number | null>,
  nowMs: () => number,
  pollMs = pollEveryMs,
): ReadyWaits => {
  const tenants = new Map<string, TenantWaits>()
  let isClosed = false

  const notify = (waits: TenantWaits): void => {
    for (const queue of waits.queues.values()) {
      queue.changes++
      wakeFirst(queue)
    }
  }

  /** Each may now be refused, whatever the others find. */
  const notifyAll = (waits: TenantWaits): void => {
    for (const queue of waits.queues.values()) {
      queue.changes++
      for (const waiter of queue.waiting.splice(0)) waiter.lookNow()
    }
  }

  const lookAhead = async (tenantId: string, waits: TenantWaits): Promise<void> => {
    const dueMs = await nextDueMs(tenantId).catch(() => null)
    clearTimeout(waits.dueTimer)
    if (dueMs === null || tenants.get(tenantId) !== waits) return
    const isDue = (): void => {
      notify(waits)
      // The next one may follow soon, and a timer may be a moment early.
      lookAheadSoon(tenantId, waits)
    }
    waits.dueTimer = setTimeout(isDue, Math.max(0, Math.min(dueMs - nowMs(), maxTimerMs))).unref()
  }

  const lookAheadSoon = (tenantId: string, waits: TenantWaits): void => {
    waits.lookAheadTimer ??= setTimeout(() => {
      waits.lookAheadTimer = undefined
      void lookAhead(tenantId, waits)
    }, lookAheadAfterMs).unref()
  }

  const leave = db.listen((committed) => {
    for (const [tenantId, waits] of tenants) {
      const concernsAll = committed.has(pausesTopic(tenantId)) || committed.has(keysTopic(tenantId))
      // One that may have been missed is no reason to let all of them look.
      if (committed !== anyCommit && concernsAll) notifyAll(waits)
      if (committed.has(readyTopic(tenantId))) notify(waits)
      if (committed.has(tenantId)) lookAheadSoon(tenantId, waits)
    }
  })
  const poll = setInterval(() => {
    for (const waits of tenants.values()) notify(waits)
  }, pollMs).unref()

  const open = (tenantId: string, kind: string): Queue => {
    let waits = tenants.get(tenantId)
    if (!waits) {
      waits = { queues: new Map() }
      tenants.set(tenantId, waits)
    }
    let queue = waits.queues.get(kind)
    if (!queue) {
      queue = { calls: 0, waiting: [], changes: 0, isLooking: false }
      waits.queues.set(kind, queue)
    }
    queue.calls++
    lookAheadSoon(tenantId, waits)
    return queue
  }

  const leaveQueue = (tenantId: string, kind: string, queue: Queue): void => {
    queue.calls--
    const waits = tenants.get(tenantId)
    if (!waits || queue.calls > 0) return
    waits.queues.delete(kind)
    if (waits.queues.size > 0) return
    clearTimeout(waits.dueTimer)
    clearTimeout(waits.lookAheadTimer)
    tenants.delete(tenantId)
  }

  return {
    open: (tenantId, kind) => {
      const queue = open(tenantId, kind)
      return createWait(
        queue,
        () => isClosed,
        () => leaveQueue(tenantId, kind, queue),
      )
    },
    close: () => {
      isClosed = true
      leave()
      clearInterval(poll)
      for (const waits of tenants.values()) {
        clearTimeout(waits.dueTimer)
        clearTimeout(waits.lookAheadTimer)
        for (const queue of waits.queues.values()) for (const waiter of queue.waiting.splice(0)) waiter.wake(true)
      }
    },
  }
}

/** Callers of one kind would be handed the same tasks. */
const kindOf = ({ actor }: Call, { projectId, label, priority, parentId }: NextRequest): string =>
  JSON.stringify([actor.userId, writableProjects(actor), projectId, label, priority, parentId])

/** Who found no task counts as waiting for this long: it will ask again. */
const waitsAfterMs = 60_000

/** Lets others see that a caller waits for a task, or just did. */
export const noteWaiting = ({ core, actor, clock }: OperationCall, { worker, peek }: NextRequest, leftMs = 0): void => {
  if (!peek) core.usage.noteWait(actor, worker, clock() + Math.max(0, Math.round(leftMs)) + waitsAfterMs)
}

/** The wait of one call for a task to become ready, if it is to wait at all. */
export const waitForNext = async (call: OperationCall, request: NextRequest): Promise<Wait | undefined> => {
  const { waitSeconds = 0 } = request
  if (waitSeconds === 0) return undefined
  const untilMs = performance.now() + waitSeconds * 1_000
  const leave = await holdOpen(call)
  const wait = call.core.readyWaits.open(call.actor.tenantId, kindOf(call, request))
  let isAbandoned = false
  call.onAbandoned(() => {
    isAbandoned = true
    wait.stop()
  })
  return {
    next: async () => {
      noteWaiting(call, request, untilMs - performance.now())
      return !isAbandoned && (await wait.next(untilMs - performance.now())) && !isAbandoned
    },
    canHaveResult: (call) => canClaimNext(call, request),
    end: (isMoreReady) => {
      wait.end(isMoreReady || isAbandoned)
      leave()
    },
  }
}
