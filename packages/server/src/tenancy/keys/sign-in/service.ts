import type { Clock } from '../../../base/clock.js'
import type { OidcIssuer } from '../../../base/oidc-settings.js'
import { hashSecret } from '../../../base/secret.js'
import type { Db } from '../../../db/port.js'
import { serviceActor } from '../../../operations/actor.js'
import { type Call, changing, type Origin } from '../../../operations/call.js'
import { issueSignInLink } from '../sessions/links.js'
import { endIssuerSessions } from '../sessions/service.js'
import { tokenRefused } from '../unauthorized.js'
import { createIssuerClient, type IssuerClient, type LogoutToken, type SignedIn } from './issuer-client.js'
import { signInRefused } from './refusals.js'
import { resolveSignIn } from './resolve.js'
import { deleteExpiredLogoutTokens, findIdentity, keepLatestLogoutTokens, saveLogoutToken } from './store.js'
import { issuerOfToken } from './tokens.js'

declare module '../../../operations/core.js' {
  interface Core {
    /** Undefined where no issuer is configured. */
    readonly signIn: SignIn | undefined
  }
}

/** The issuers whose users may sign in. */
export interface SignIn {
  readonly clients: readonly IssuerClient[]
  clientOf(issuer: unknown): IssuerClient | undefined
  /** Throws where the tenant does not exist. */
  tenantIdOf(client: IssuerClient): Promise<string>
  /** The tenant of an issuer, if it was looked up before. */
  knownTenantId(client: IssuerClient | undefined): string | undefined
  /** The same for an issuer's token, of which nothing is verified. */
  tenantIdOfToken(authorization: string | undefined): string | undefined
}

export const createSignIn = (
  issuers: readonly OidcIssuer[],
  clock: Clock,
  findTenantId: (ref: string) => Promise<string | undefined>,
): SignIn | undefined => {
  if (issuers.length === 0) return undefined
  const clients = issuers.map((settings) => createIssuerClient(settings, clock))
  const tenantIds = new Map<IssuerClient, string>()
  const clientOf = (issuer: unknown): IssuerClient | undefined =>
    clients.find(({ settings }) => settings.issuer === issuer)
  const knownTenantId = (client: IssuerClient | undefined): string | undefined => client && tenantIds.get(client)
  return {
    clients,
    clientOf,
    knownTenantId,
    tenantIdOf: async (client) => {
      const id = await findTenantId(client.settings.tenant)
      if (id === undefined) throw signInRefused('tenant')
      tenantIds.set(client, id)
      return id
    },
    tenantIdOfToken: (authorization = '') => knownTenantId(clientOf(issuerOfToken(authorization.slice(7).trim()))),
  }
}

/** A call of the service itself, since whoever signs in has no key yet. */
const callFor = async (
  signIn: SignIn,
  client: IssuerClient,
  db: Db,
  clock: Clock,
  origin: Pick<Origin, 'address' | 'operation'>,
): Promise<Call> => {
  const tenantId = await signIn.tenantIdOf(client)
  const actor = serviceActor(tenantId)
  return { db: db.ofTenant(tenantId), clock, actor, origin: { ...origin, requestId: null, via: 'console' } }
}

interface SignInServices {
  signIn: SignIn
  db: Db
  clock: Clock
}

/** A one-time link for whoever has signed in at an issuer, which works only with the browser's secret. */
export const linkFor = async (
  { signIn, db, clock }: SignInServices,
  client: IssuerClient,
  { claims, issuerSession }: SignedIn,
  { address, browserSecret }: { address: string; browserSecret: string },
): Promise<string> => {
  const call = await callFor(signIn, client, db, clock, { address, operation: 'signIn' })
  const issuer = client.settings
  const keyId = await resolveSignIn(call, { issuer, claims, by: 'browser' })
  return issueSignInLink(call, keyId, { browserSecret, issuer: issuer.issuer, issuerSession: issuerSession ?? null })
}

/**
 * Above this number in a few minutes, the tokens that expire first are forgotten. Refusing new ones would leave
 * sessions open.
 */
const maxLogoutTokens = 10_000

/** Throws if the token was accepted before. */
const takeLogoutToken = async (
  { db, clock, actor: { tenantId } }: Call,
  issuer: string,
  { id, expiresAtMs }: LogoutToken,
): Promise<void> => {
  await deleteExpiredLogoutTokens(db, tenantId, clock())
  if (!(await saveLogoutToken(db, tenantId, hashSecret(`${issuer} ${id}`), expiresAtMs))) throw tokenRefused('invalid')
  await keepLatestLogoutTokens(db, tenantId, maxLogoutTokens)
}

/** Ends the sessions that an issuer's logout token names. */
export const endSessionsAt = async (
  { signIn, db, clock }: SignInServices,
  client: IssuerClient,
  token: LogoutToken,
  address: string,
): Promise<void> => {
  const { issuer } = client.settings
  const { subject, issuerSession } = token
  await changing(await callFor(signIn, client, db, clock, { address, operation: 'signOut' }), async (call) => {
    await takeLogoutToken(call, issuer, token)
    if (issuerSession !== undefined) return endIssuerSessions(call, { issuer, issuerSession })
    const identity = await findIdentity(call.db, call.actor.tenantId, issuer, subject!)
    if (identity) await endIssuerSessions(call, { issuer, userId: identity.userId })
  })
}
