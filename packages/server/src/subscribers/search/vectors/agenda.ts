interface Failed {
  atMs: number
  failures: number
}

/** A tenant that is to be looked at, and how often in a row it has failed. */
export interface Turn {
  tenantId: string
  failures: number
}

/** Which tenants a node is to look at, and when. One that is taken is no longer in it. */
export interface Agenda {
  /** A tenant has committed. One that has failed waits for its time all the same. */
  hear(tenantId: string, atMs: number): void
  plan(tenantId: string, atMs: number, nowMs: number): void
  planRetry(tenantId: string, failed: Failed): void
  /**
   * The next one whose time has come: those that have just committed first, then in turn, those that have failed last.
   */
  take(nowMs: number, mayRetry: boolean): Turn | undefined
  /** How many have their turn now, but for those that have failed. */
  countWaiting(): number
  /** When there is one to take; infinity where there is none. */
  nextMs(mayRetry: boolean): number
}

export const createAgenda = (): Agenda => {
  /** In the order of their times. */
  const heard = new Map<string, number>()
  const waiting = new Set<string>()
  const later = new Map<string, number>()
  let nextLaterMs = Number.POSITIVE_INFINITY
  const failed = new Map<string, Failed>()

  const wait = (tenantId: string): void => {
    later.delete(tenantId)
    waiting.add(tenantId)
  }

  const endLater = (nowMs: number): void => {
    if (nowMs < nextLaterMs) return
    nextLaterMs = Number.POSITIVE_INFINITY
    for (const [tenantId, atMs] of later) {
      if (atMs <= nowMs) wait(tenantId)
      else nextLaterMs = Math.min(nextLaterMs, atMs)
    }
  }

  const firstFailed = (nowMs: number): string | undefined => {
    for (const [tenantId, { atMs }] of failed) if (atMs <= nowMs) return tenantId
    return undefined
  }

  const firstHeard = (nowMs: number): string | undefined => {
    const [first] = heard
    return first && first[1] <= nowMs ? first[0] : undefined
  }

  return {
    hear: (tenantId, atMs) => {
      if (!failed.has(tenantId) && !heard.has(tenantId)) heard.set(tenantId, atMs)
    },
    plan: (tenantId, atMs, nowMs) => {
      if (failed.has(tenantId)) return
      if (atMs <= nowMs) wait(tenantId)
      else if (!waiting.has(tenantId)) {
        const soonestMs = Math.min(later.get(tenantId) ?? atMs, atMs)
        later.set(tenantId, soonestMs)
        nextLaterMs = Math.min(nextLaterMs, soonestMs)
      }
    },
    planRetry: (tenantId, retry) => {
      heard.delete(tenantId)
      waiting.delete(tenantId)
      later.delete(tenantId)
      failed.set(tenantId, retry)
    },
    take: (nowMs, mayRetry) => {
      endLater(nowMs)
      const [inTurn] = waiting
      const tenantId = firstHeard(nowMs) ?? inTurn ?? (mayRetry ? firstFailed(nowMs) : undefined)
      if (tenantId === undefined) return undefined
      const failures = failed.get(tenantId)?.failures ?? 0
      heard.delete(tenantId)
      waiting.delete(tenantId)
      later.delete(tenantId)
      failed.delete(tenantId)
      return { tenantId, failures }
    },
    countWaiting: () => waiting.size,
    nextMs: (mayRetry) => {
      if (waiting.size > 0) return 0
      const [firstHeardMs = Number.POSITIVE_INFINITY] = heard.values()
      let nextMs = Math.min(firstHeardMs, nextLaterMs)
      if (mayRetry) for (const { atMs } of failed.values()) nextMs = Math.min(nextMs, atMs)
      return nextMs
    },
  }
}
