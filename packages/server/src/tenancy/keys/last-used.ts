import type { Clock } from '../../base/clock.js'
import { createWriteBehind } from '../../scheduling/write-behind.js'

declare module '../../operations/core.js' {
  interface Core {
    readonly keysUsed: LastUsed
    readonly sessionsUsed: LastUsed
  }
}

/** Records when keys, or sessions, were last used. */
export interface LastUsed {
  note(tenantId: string, id: string): void
  flush(): Promise<void>
}

/** A key or session in constant use is written at most this often. */
const writeEveryMs = 60_000
const maxRemembered = 10_000

/** Keeps the times in memory and writes them periodically instead of with each request. */
export const createLastUsed = (
  clock: Clock,
  save: (tenantId: string, id: string, usedAtMs: number) => Promise<unknown>,
): LastUsed => {
  const notedAt = new Map<string, number>()
  const unwritten = createWriteBehind<number>({
    write: (tenantId, entries) => Promise.all(entries.map(([id, usedAtMs]) => save(tenantId, id, usedAtMs))),
    maxEntries: maxRemembered,
  })
  return {
    note: (tenantId, id) => {
      const usedAtMs = clock()
      if (usedAtMs - (notedAt.get(id) ?? 0) < writeEveryMs) return
      if (notedAt.size >= maxRemembered) notedAt.clear()
      notedAt.set(id, usedAtMs)
      unwritten.add(tenantId, id, usedAtMs)
    },
    flush: () => unwritten.flush(),
  }
}
