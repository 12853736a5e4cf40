import type { Person } from '../../base/person.js'
import { endOfStep } from '../../db/end-of-step.js'
import { type Call, changing } from '../../operations/call.js'
import * as store from './store.js'

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
