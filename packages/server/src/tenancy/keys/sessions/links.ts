import { isAllowedAddress } from '../../../base/address-ranges.js'
import { type Clock, isoTime } from '../../../base/clock.js'
import { hashSecret } from '../../../base/secret.js'
import { audit } from '../../../changelog/audit/service.js'
import type { Sql } from '../../../db/port.js'
import { type Call, changing } from '../../../operations/call.js'
import { checkStrength } from '../../../operations/strength.js'
import type { KeyRef } from '../key-ref.js'
import { changingAsAdmin } from '../live-key.js'
import type { ApiKey } from '../schema.js'
import { lockKey, refuseWithoutSecret } from '../service.js'
import { signInRefused } from '../sign-in/refusals.js'
import { linkEnded } from './errors.js'
import { type ConsoleLink, type ConsoleLinkOptions, linkSeconds } from './schema.js'
import { isSameHash, newLink, tenantOfLink } from './secret.js'
import * as store from './store.js'

/** The browser that signed in is about to use it. */
const signInLinkLifetimeMs = 2 * 60_000
/** Unused ones; a further link replaces the oldest. */
const linksPerKey = 10

interface IssuedLink extends ConsoleLink {
  link: string
  path: string
}

const storeLink = async (
  { db, actor: { tenantId } }: Call,
  { id: keyId, prefix: secretPrefix }: ApiKey,
  expiresAtMs: number,
  signIn?: store.LinkOrigin,
): Promise<string> => {
  const known = await store.listLinkHashes(db, tenantId, keyId)
  for (const hash of known.slice(0, -(linksPerKey - 1))) await store.deleteLink(db, tenantId, hash)
  const link = newLink(tenantId)
  await store.insertLink(db, { tenantId, hash: hashSecret(link), keyId, secretPrefix, expiresAtMs, signIn })
  return link
}

/** A link that opens one session of a key in a browser. */
export const issueLink = (
  call: Call,
  keyId: string,
  { expiresInSeconds = linkSeconds.default }: ConsoleLinkOptions = {},
): Promise<IssuedLink> =>
  changingAsAdmin(call, async (call) => {
    const key = await lockKey(call, keyId)
    refuseWithoutSecret(key)
    checkStrength(call.actor, key)
    const expiresAtMs = call.clock() + expiresInSeconds * 1_000
    const link = await storeLink(call, key, expiresAtMs)
    await audit(call, 'session.link_created', { subject: keyId })
    return { link, path: `/console/#link=${link}`, keyId, expiresAt: isoTime(expiresAtMs) }
  })

interface SignInLink extends Omit<store.LinkOrigin, 'browserHash'> {
  browserSecret: string
}

/** A session of the key would be refused with its first request. */
const refuseUnusable = ({ clock, origin: { address } }: Call, { expiresAt, allowedAddresses }: ApiKey): void => {
  if (expiresAt !== null && Date.parse(expiresAt) <= clock()) throw signInRefused('expired')
  if (allowedAddresses && !isAllowedAddress(allowedAddresses, address ?? '')) throw signInRefused('address')
}

/** A link for a user who has signed in at an issuer, in the browser that has the secret. */
export const issueSignInLink = (call: Call, keyId: string, { browserSecret, ...origin }: SignInLink): Promise<string> =>
  changing(call, async (call) => {
    const key = await lockKey(call, keyId)
    refuseUnusable(call, key)
    const expiresAtMs = call.clock() + signInLinkLifetimeMs
    return storeLink(call, key, expiresAtMs, { ...origin, browserHash: hashSecret(browserSecret) })
  })

export interface FoundLink {
  key: KeyRef
  hash: string
  signIn: store.LinkOrigin | undefined
}

/** The key that a link stands for; throws where the link is unknown, used, expired or of another browser. */
export const findLink = async (
  db: Sql,
  clock: Clock,
  link: string,
  browserSecrets: readonly string[],
): Promise<FoundLink> => {
  const tenantId = tenantOfLink(link)
  const found = tenantId && (await store.findLink(db, tenantId, hashSecret(link), clock()))
  if (!found) throw linkEnded()
  const { hash, keyId, secretPrefix, signIn } = found
  if (signIn && !browserSecrets.some((secret) => isSameHash(hashSecret(secret), signIn.browserHash))) throw linkEnded()
  return { key: { tenantId, keyId, secretPrefix }, hash, signIn }
}

/** Uses a link up, in the transaction of what it is used for. */
export const takeLink = async ({ db, actor }: Call, hash: string): Promise<void> => {
  if (!(await store.deleteLink(db, actor.tenantId, hash))) throw linkEnded()
}
