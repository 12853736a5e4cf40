import { createFairSlots } from '../../../scheduling/fair-slots.js'

/** Runs work of a tenant once it gets a slot. */
export type RunInSlot = <T>(tenantId: string, work: () => Promise<T>) => Promise<T>

/** A tenant holds at most this share of the slots that are free. */
const shareOfFree = 1 / 8

/**
 * Shares a number of slots between tenants by a dynamic threshold: the more tenants are busy, the fewer slots each gets,
 * so that the next tenant finds a free one. The number of those that wait is bounded by the number of delivery workers.
 */
export const createDeliverySlots = (count: number): RunInSlot => {
  const { run } = createFairSlots({ slots: count, mayHoldMore: (held, share, free) => held < free * share })
  return async (tenantId, work) => run(tenantId, shareOfFree, work)
}
