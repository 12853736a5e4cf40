import { unavailable } from '../../base/errors.js'
import { createFairSlots, type FairSlots } from '../../scheduling/fair-slots.js'

/** One of the statements in progress should have ended by then. */
const maxStillMs = 3_000
/** More than the requests in progress, so that only a defect or an attack reaches it. */
const maxWaiting = 10_000

/**
 * Limits how much is asked of the database at once, because the queue of the driver has no limit and everything else would
 * wait in it behind a few slow statements. A queue that moves is served however long it is. What waits in one that stands
 * still is refused.
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
