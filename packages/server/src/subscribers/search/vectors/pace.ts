/** What is older says nothing about the rest. */
const WINDOW_MS = 30_000
/** Less tells too little. */
const MIN_MEASURED_MS = 1_000
const MAX_TENANTS = 1_000

interface Sample {
  atMs: number
  change: number
}

/** The measurement begins with `first` until `middle`, at which the next one begins, is old enough. */
interface Measured {
  first: Sample
  middle: Sample
  last: Sample
}

/**
 * How fast the records of a tenant are embedded. Their changes are numbered in the database, so that those which one
 * node makes tell how many all of them made meanwhile.
 */
export const createPace = (nowMs: () => number = () => performance.now()) => {
  const byTenant = new Map<string, Measured>()
  const isOld = ({ atMs }: Sample) => nowMs() - atMs > WINDOW_MS

  return {
    note(tenantId: string, change: number): void {
      const sample = { atMs: nowMs(), change }
      const known = byTenant.get(tenantId)
      byTenant.delete(tenantId)
      if (!known || isOld(known.last)) byTenant.set(tenantId, { first: sample, middle: sample, last: sample })
      else if (isOld(known.middle)) byTenant.set(tenantId, { first: known.middle, middle: sample, last: sample })
      else byTenant.set(tenantId, { ...known, last: sample })
      if (byTenant.size > MAX_TENANTS) byTenant.delete(byTenant.keys().next().value!)
    },

    /** Undefined where little was embedded of late. */
    secondsFor(tenantId: string, waiting: number): number | undefined {
      const measured = byTenant.get(tenantId)
      if (!measured || isOld(measured.last)) return undefined
      const { first, last } = measured
      const tookMs = last.atMs - first.atMs
      if (tookMs < MIN_MEASURED_MS) return undefined
      return Math.ceil((waiting * tookMs) / (last.change - first.change) / 1_000)
    },
  }
}

export type Pace = ReturnType<typeof createPace>
