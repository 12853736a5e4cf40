import { AppError } from '../base/errors.js'

/** Of a tenant, on one node: streams, long polls and other calls that wait for something to happen. */
export const maxOpenWaits = 200

export interface OpenWaits {
  /** Counts a wait and answers what ends it, however often it is called. Throws where the tenant has too many open. */
  enter(tenantId: string): () => void
}

const tooMany = (): AppError =>
  new AppError(
    'RATE_LIMIT_EXCEEDED',
    `${maxOpenWaits} streams and long polls are open. End one before opening another.`,
    { limit: 'open streams and long polls', retryAfter: 10 },
  )

export const createOpenWaits = (): OpenWaits => {
  const counts = new Map<string, number>()
  return {
    enter: (tenantId) => {
      const count = counts.get(tenantId) ?? 0
      if (count >= maxOpenWaits) throw tooMany()
      counts.set(tenantId, count + 1)
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        const left = counts.get(tenantId)! - 1
        if (left === 0) counts.delete(tenantId)
        else counts.set(tenantId, left)
      }
    },
  }
}
