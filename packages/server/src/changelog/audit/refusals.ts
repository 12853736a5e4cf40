import { hash } from 'node:crypto'
import { clientOf } from '../../base/client-address.js'
import { type Clock, isoTime } from '../../base/clock.js'
import type { Db } from '../../db/port.js'
import { type Actor, actorRef } from '../../operations/actor.js'
import type { Origin } from '../../operations/call.js'
import { createWriteBehind } from '../../scheduling/write-behind.js'
import type { AuditEntry } from './schema.js'
import { noTenant } from './service.js'
import { saveEntry } from './store.js'

declare module '../../operations/core.js' {
  interface Core {
    readonly refusals: RefusalLog
  }
}

interface Refusal {
  action: 'auth.failed' | 'scope.refused'
  /** Undefined where nobody is known by what was sent. */
  actor: Actor | undefined
  /** Where nobody is known, but the tenant is. */
  tenantId?: string | undefined
  origin: Pick<Origin, 'requestId' | 'via' | 'address'>
  details: Record<string, string>
}

export interface RefusalLog {
  note(refusal: Refusal): void
  flush(): Promise<void>
}

/** Refusals that are alike share an entry for this long. */
const sharedForMs = 3_600_000
/** Entries that a node starts for a tenant in that time; further refusals share one for each action. */
const entriesPerTenant = 50
const maxTenants = 10_000
const maxUnwritten = 10_000

/** Counts refusals in memory, to be written now and then: a flood of them costs neither a statement nor a row each. */
export const createRefusalLog = (db: Db, clock: Clock): RefusalLog => {
  const startedEntries = new Map<string, { hour: number; ids: Set<string> }>()
  const unwritten = createWriteBehind<AuditEntry>({
    write: (tenantId, entries) =>
      db.transaction(async (tx) => {
        for (const [, entry] of entries) await saveEntry(tx, tenantId, entry)
      }, tenantId),
    merge: (older, newer) => ({ ...newer, at: older.at, count: older.count + newer.count }),
    maxEntries: maxUnwritten,
  })

  const idsOf = (tenantId: string, hour: number): Set<string> => {
    const started = startedEntries.get(tenantId)
    if (started?.hour === hour) return started.ids
    if (startedEntries.size >= maxTenants) startedEntries.clear()
    const ids = new Set<string>()
    startedEntries.set(tenantId, { hour, ids })
    return ids
  }

  const entryOf = ({ action, actor, tenantId, origin, details }: Refusal, nowMs: number): AuditEntry => {
    const address = origin.address && clientOf(origin.address)
    const hour = Math.floor(nowMs / sharedForMs)
    const idOf = (...kind: unknown[]): string =>
      `aud_${hash('sha256', JSON.stringify([hour, ...kind]), 'hex').slice(0, 20)}`
    const at = isoTime(nowMs)
    const { requestId, via } = origin
    const shared = { at, lastAt: at, action, requestId, via, subject: null, count: 1 }
    const id = idOf(action, actor?.keyId, address, via, details)
    const ids = idsOf(actor?.tenantId ?? tenantId ?? noTenant, hour)
    if (!ids.has(id) && ids.size >= entriesPerTenant) {
      return { ...shared, id: idOf(action), actor: null, address: null, details: { more: true } }
    }
    ids.add(id)
    return { ...shared, id, actor: actor ? actorRef(actor) : null, address, details }
  }

  return {
    note: (refusal) => {
      const entry = entryOf(refusal, clock())
      unwritten.add(refusal.actor?.tenantId ?? refusal.tenantId ?? noTenant, entry.id, entry)
    },
    flush: () => unwritten.flush(),
  }
}
