import type { FastifyInstance } from 'fastify'
import { createFairQueue } from '../../scheduling/fair-queue.js'

/** Work of one turn of the event loop, beyond which requests wait for the next. */
const maxTurnMs = 10
/** Whoever was not seen for so long has nothing to wait for. */
const seenForMs = 1_000

export interface Turns {
  /** Does work of a tenant now, or in a later turn of the event loop when its turn has come. */
  run(tenantId: string | undefined, work: () => void): void
  /** Whether work has to wait now. */
  isBusy(): boolean
}

interface Waiting {
  tenantId: string
  work: () => void
}

/**
 * Serves tenants in turn. The embedded store answers at once, so that requests that arrive together would all be
 * served in one turn of the event loop, and whoever comes next would wait for all of them. A tenant whose work took
 * more than a turn at once rests for as long while there are others: a request takes several turns, and each of them
 * would wait for such work. Those that wait are bounded by the requests that are taken on.
 */
export const createTurns = (nowMs: () => number = () => performance.now()): Turns => {
  const waiting = createFairQueue<Waiting>()
  /** Few: each of them has kept the event loop for more than a turn, less than that ago. */
  const restsUntilMs = new Map<string, number>()
  let lastTenantId: string | undefined
  let othersSeenAtMs = Number.NEGATIVE_INFINITY
  let spentMs = 0
  let isScheduled = false
  let isRunning = false

  const isBusy = (): boolean => waiting.size > 0 || spentMs >= maxTurnMs

  const noteSeen = (tenantId: string): void => {
    if (tenantId === lastTenantId) return
    if (lastTenantId !== undefined) othersSeenAtMs = nowMs()
    lastTenantId = tenantId
  }

  const isResting = ({ tenantId }: Pick<Waiting, 'tenantId'>): boolean => {
    const untilMs = restsUntilMs.get(tenantId)
    if (untilMs === undefined) return false
    if (nowMs() < untilMs) return true
    restsUntilMs.delete(tenantId)
    return false
  }

  const run = ({ tenantId, work }: Waiting): void => {
    isRunning = true
    const startedAtMs = nowMs()
    try {
      work()
    } finally {
      isRunning = false
      const endedAtMs = nowMs()
      const tookMs = endedAtMs - startedAtMs
      spentMs += tookMs
      const hasOthers = endedAtMs - othersSeenAtMs < seenForMs
      if (tookMs >= maxTurnMs && hasOthers) restsUntilMs.set(tenantId, endedAtMs + tookMs)
    }
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(takeTurn)
  }

  const takeTurn = (): void => {
    isScheduled = false
    spentMs = 0
    while (spentMs < maxTurnMs) {
      const next = waiting.take((head) => !isResting(head))
      if (!next) break
      run(next)
    }
    if (spentMs > 0) {
      schedule()
    } else if (waiting.size > 0) {
      // All that wait are resting.
      isScheduled = true
      setTimeout(takeTurn, 1)
    }
  }

  return {
    run: (tenantId, work) => {
      // What belongs to work that has its turn is a part of it.
      if (tenantId === undefined || isRunning) return work()
      noteSeen(tenantId)
      schedule()
      const asked = { tenantId, work }
      if (!isBusy() && !isResting(asked)) return run(asked)
      waiting.push(tenantId, asked)
    },
    isBusy,
  }
}

export const registerTurns = (app: FastifyInstance, turns: Turns): void => {
  app.addHook('preHandler', (request, _reply, done) => turns.run(request.call?.actor.tenantId, done))
}
