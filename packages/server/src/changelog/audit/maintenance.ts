import { systemClock } from '../../base/clock.js'
import type { Person } from '../../base/person.js'
import { endOfStep } from '../../db/end-of-step.js'
import type { Db, Sql } from '../../db/port.js'
import { type Call, changing, operatorCall } from '../../operations/call.js'
import { eachInTurn } from '../../scheduling/in-turns.js'
import { audit, noTenant } from './service.js'
import * as store from './store.js'

const keptForMs = 365 * 86_400_000
/** A step is short, so that writers wait for none. */
const trimmedPerStep = 1_000

/** Removes entries that are more than a year old, of the tenants and of none. */
export const trimAudit = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  await eachInTurn([noTenant, ...tenantIds], async (tenantId) => {
    while ((await store.deleteOldest(db, tenantId, nowMs - keptForMs, trimmedPerStep)) === trimmedPerStep);
  })
}

const entriesPerStep = 200

/** Takes a person out of some audit entries after one; answers where to go on, or null after the last. */
export const eraseFromAudit = async (call: Call, person: Person, after: string | null): Promise<string | null> => {
  const { tenantId } = call.actor
  const from = after ?? ''
  const upTo = await endOfStep(call.db, { table: 'audit_entries', key: 'id' }, tenantId, from, entriesPerStep)
  if (upTo === undefined) return null
  const mentions = (db: Call['db']) => store.listMentions(db, tenantId, person.id, [from, upTo])
  if ((await mentions(call.db)).length === 0) return upTo
  await changing(call, async ({ db }) => {
    for (const { id, actor, details } of await mentions(db))
      await store.rewriteEntry(db, tenantId, id, actor && person.redacted(actor), person.redacted(details))
  })
  return upTo
}

/** Tells a tenant that its records are those of a backup. */
export const noteRestore = (tx: Sql, tenantId: string): Promise<void> =>
  audit(operatorCall(tx, systemClock, tenantId), 'store.restored')
