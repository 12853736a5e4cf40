/** Runs work of a tenant once it gets a slot. */
export type RunInSlot = <T>(tenantId: string, work: () => Promise<T>) => Promise<T>

/** A tenant holds at most this share of the slots that are free. */
const shareOfFree = 1 / 8

/**
 * Shares a number of slots between tenants by a dynamic threshold: the more tenants are busy, the fewer slots each gets,
 * so that the next tenant finds a free one. Tenants that wait are served in turn. The number of those that wait is
 * bounded by the number of delivery workers.
 */
export const createDeliverySlots = (count: number): RunInSlot => {
  let free = count
  const held = new Map<string, number>()
  /** In the order of their turns. */
  const waiting = new Map<string, (() => void)[]>()

  const mayTake = (tenantId: string): boolean => (held.get(tenantId) ?? 0) < free * shareOfFree
  const take = (tenantId: string): void => {
    free--
    held.set(tenantId, (held.get(tenantId) ?? 0) + 1)
  }
  const giveBack = (tenantId: string): void => {
    free++
    const left = (held.get(tenantId) ?? 0) - 1
    if (left > 0) held.set(tenantId, left)
    else held.delete(tenantId)
  }

  const startNext = (): boolean => {
    for (const [tenantId, queue] of waiting) {
      if (!mayTake(tenantId)) continue
      take(tenantId)
      waiting.delete(tenantId)
      const [start, ...rest] = queue
      if (rest.length > 0) waiting.set(tenantId, rest)
      start!()
      return true
    }
    return false
  }

  return async (tenantId, work) => {
    if (!waiting.has(tenantId) && mayTake(tenantId)) take(tenantId)
    else {
      await new Promise<void>((resolve) => {
        const queue = waiting.get(tenantId)
        if (queue) queue.push(resolve)
        else waiting.set(tenantId, [resolve])
      })
    }
    try {
      return await work()
    } finally {
      giveBack(tenantId)
      while (startNext());
    }
  }
}
