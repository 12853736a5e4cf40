import { unavailable } from '../base/errors.js'
import { createFairSlots, type FairSlots } from '../scheduling/fair-slots.js'

export interface WorkSlotSettings {
  /** Calls of all tenants that are at work at once. */
  slots: number
  /** Calls that wait for a slot, of all tenants together; each tenant has its part of them. */
  maxWaiting: number
  maxWaitMs: number
}

export const workSlotSettings: WorkSlotSettings = { slots: 512, maxWaiting: 2_000, maxWaitMs: 5_000 }

/**
 * Creates the admission queue. No tenant runs more calls at once than its share, and tenants are served in turn when
 * all slots are taken.
 */
export const createWorkSlots = ({ slots, maxWaiting, maxWaitMs }: WorkSlotSettings = workSlotSettings): FairSlots =>
  createFairSlots({
    slots,
    mayHoldMore: (held, share) => held < share,
    waiting: {
      max: maxWaiting,
      perShare: 3,
      maxMs: maxWaitMs,
      refusal: () => unavailable('Too many requests of this tenant are at work. Try again shortly.', 1),
    },
  })
