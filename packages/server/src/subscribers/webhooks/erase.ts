import type { Person } from '../../base/person.js'
import { type Call, changing } from '../../operations/call.js'
import { type DeliveryPosition, endOfStep, listMentions, rewriteDelivery } from './delivery/store.js'

const deliveriesPerStep = 100

/** Takes a person out of some deliveries after a position; answers where to go on, or null after the last. */
export const eraseFromDeliveries = async (
  call: Call,
  person: Person,
  after: DeliveryPosition | null,
): Promise<DeliveryPosition | null> => {
  const { tenantId } = call.actor
  const from: DeliveryPosition = after ?? ['', '']
  const upTo = await endOfStep(call.db, tenantId, from, deliveriesPerStep)
  if (!upTo) return null
  const mentions = (db: Call['db']) => listMentions(db, tenantId, person.id, [from, upTo])
  if ((await mentions(call.db)).length === 0) return upTo
  await changing(call, async ({ db }) => {
    for (const { position, payload } of await mentions(db))
      await rewriteDelivery(db, tenantId, position, payload && person.redacted(payload))
  })
  return upTo
}
