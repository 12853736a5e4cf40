import { unavailable } from '../../base/errors.js'
import { createFairSlots, type FairSlots } from '../../scheduling/fair-slots.js'

/** If no statement ends within this time, the waiting ones are refused. */
const maxStillMs = 3_000
/** Exceeds the number of concurrent requests, so that only a bug or an attack reaches it. */
const maxWaiting = 10_000

/**
 * Limits the number of concurrent statements, because the driver's queue is unbounded and everything else would wait in
 * it behind a few slow statements. As long as the queue moves, it is served however long it is. If it stalls, the
 * waiting statements are refused.
 */
export const createPermits = (permits: number, settings = { maxStillMs, maxWaiting }): FairSlots =>
  createFairSlots({
    slots: permits,
    mayHoldMore: () => true,
    waiting: {
      max: settings.maxWaiting,
      perShare: Number.POSITIVE_INFINITY,
      maxMs: settings.maxStillMs,
      isForStandstill: true,
      refusal: () => unavailable('The database is overloaded. Try again shortly.', 2),
    },
  })
