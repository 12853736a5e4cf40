import type { Clock } from '../../base/clock.js'
import type { Db } from '../../db/port.js'
import type { Actor } from '../../operations/actor.js'
import { setLastUsed } from './store.js'

declare module '../../operations/core.js' {
  interface Core {
    readonly keyUsage: KeyUsage
  }
}

export interface KeyUsage {
  note(actor: Actor): void
  flush(): Promise<void>
}

/** A key in constant use has its `lastUsedAt` written once in this time. */
const writeEveryMs = 60_000
const maxRemembered = 10_000

/** Gathers when keys were used, to be written now and then instead of with each request. */
export const createKeyUsage = (db: Db, clock: Clock): KeyUsage => {
  const notedAt = new Map<string, number>()
  let unwritten: { tenantId: string; keyId: string; usedAtMs: number }[] = []

  return {
    note: ({ tenantId, keyId }) => {
      const usedAtMs = clock()
      if (usedAtMs - (notedAt.get(keyId) ?? 0) < writeEveryMs) return
      if (notedAt.size >= maxRemembered) notedAt.clear()
      notedAt.set(keyId, usedAtMs)
      if (unwritten.length < maxRemembered) unwritten.push({ tenantId, keyId, usedAtMs })
    },
    flush: async () => {
      const uses = unwritten
      unwritten = []
      const writes = uses.map(({ tenantId, keyId, usedAtMs }) =>
        setLastUsed(db.ofTenant(tenantId), tenantId, keyId, usedAtMs),
      )
      const outcomes = await Promise.allSettled(writes)
      const failed = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
      if (!failed) return
      unwritten = [...uses, ...unwritten].slice(0, maxRemembered)
      throw failed.reason
    },
  }
}
