/** The kinds of background work, as they are stored. */
const workKinds = ['tasks', 'stale_checks', 'deletions', 'erasures', 'restores', 'trash', 'webhooks'] as const
export type WorkKind = (typeof workKinds)[number]

export interface DueKey {
  tenantId: string
  kind: WorkKind
}

export interface DueTime extends DueKey {
  dueAtMs: number
}

/**
 * What this process knows of the committed rows of `due_work`, so that most changes need not write there. A row stays until
 * it is due: until shortly before that it can be relied on.
 */
export interface KnownDueTimes {
  /** Whether the store is known to have a time that is no later. Where it is not, the time is asked for. */
  covers(time: DueTime, nowMs: number): boolean
  /** By kind, the tenants whose times are to be read from the store, outside of transactions. */
  takeWanted(): ReadonlyMap<WorkKind, ReadonlySet<string>>
  learn(time: DueTime, isReliableUntilMs: number): void
}

const maxKnown = 100_000
const maxWantedOfKind = 500

const nameOf = ({ tenantId, kind }: DueKey): string => `${kind} ${tenantId}`

export const createKnownDueTimes = (): KnownDueTimes => {
  const known = new Map<string, { dueAtMs: number; isReliableUntilMs: number }>()
  let wanted = new Map<WorkKind, Set<string>>()
  return {
    covers: (time, nowMs) => {
      const name = nameOf(time)
      const found = known.get(name)
      if (found && found.dueAtMs <= time.dueAtMs && nowMs < found.isReliableUntilMs) return true
      if (found && nowMs >= found.isReliableUntilMs) known.delete(name)
      const ofKind = wanted.get(time.kind) ?? new Set()
      if (ofKind.size < maxWantedOfKind) wanted.set(time.kind, ofKind.add(time.tenantId))
      return false
    },
    takeWanted: () => {
      const taken = wanted
      wanted = new Map()
      return taken
    },
    learn: (time, isReliableUntilMs) => {
      const name = nameOf(time)
      known.delete(name)
      known.set(name, { dueAtMs: time.dueAtMs, isReliableUntilMs })
      if (known.size > maxKnown) known.delete(known.keys().next().value!)
    },
  }
}
