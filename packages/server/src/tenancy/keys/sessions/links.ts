import { type Clock, isoTime } from '../../../base/clock.js'
import { hashSecret } from '../../../base/secret.js'
import { audit } from '../../../changelog/audit/service.js'
import type { Sql } from '../../../db/port.js'
import type { Call } from '../../../operations/call.js'
import type { KeyRef } from '../key-ref.js'
import { changingWithLiveKey } from '../live-key.js'
import { checkStrength, lockKey } from '../service.js'
import { linkEnded } from './errors.js'
import type { ConsoleLink } from './schema.js'
import { newLink, tenantOfLink } from './secret.js'
import * as store from './store.js'

const linkLifetimeMs = 10 * 60_000
/** Unused ones; a further link replaces the oldest. */
const linksPerKey = 10

interface IssuedLink extends ConsoleLink {
  link: string
  path: string
}

/** A link that opens one session of a key in a browser. */
export const issueLink = (call: Call, keyId: string): Promise<IssuedLink> =>
  changingWithLiveKey(call, 'admin', async (call) => {
    const { tenantId } = call.actor
    const key = await lockKey(call, keyId)
    checkStrength(call.actor, key)
    const known = await store.listLinkHashes(call.db, tenantId, keyId)
    for (const hash of known.slice(0, -(linksPerKey - 1))) await store.deleteLink(call.db, tenantId, hash)
    const link = newLink(tenantId)
    const expiresAtMs = call.clock() + linkLifetimeMs
    await store.insertLink(call.db, { tenantId, hash: hashSecret(link), keyId, secretPrefix: key.prefix, expiresAtMs })
    await audit(call, 'session.link_created', { subject: keyId })
    return { link, path: `/console/#link=${link}`, keyId, expiresAt: isoTime(expiresAtMs) }
  })

interface FoundLink {
  key: KeyRef
  hash: string
}

/** The key that a link stands for; throws where the link is unknown, used or expired. */
export const findLink = async (db: Sql, clock: Clock, link: string): Promise<FoundLink> => {
  const tenantId = tenantOfLink(link)
  const found = tenantId && (await store.findLink(db, tenantId, hashSecret(link), clock()))
  if (!found) throw linkEnded()
  const { hash, keyId, secretPrefix } = found
  return { key: { tenantId, keyId, secretPrefix }, hash }
}

/** Uses a link up, in the transaction of what it is used for. */
export const takeLink = async ({ db, actor }: Call, hash: string): Promise<void> => {
  if (!(await store.deleteLink(db, actor.tenantId, hash))) throw linkEnded()
}
