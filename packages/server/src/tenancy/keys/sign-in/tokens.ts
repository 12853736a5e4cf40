import type { Clock } from '../../../base/clock.js'
import type { Db } from '../../../db/port.js'
import { serviceActor } from '../../../operations/actor.js'
import { ownOrigin } from '../../../operations/call.js'
import { accessOf } from '../access.js'
import { type AccessTokens, identityOf } from '../authenticator.js'
import { keyOwner } from '../service.js'
import { tokenRefused } from '../unauthorized.js'
import { resolveSignIn } from './resolve.js'
import type { SignIn } from './service.js'

/** How far the clocks of issuers may be off. */
const toleranceMs = 60_000
const maxTokenLength = 12_000
const wellFormed = /^eyJ[\w-]+\.([\w-]+)\.[\w-]+$/

/** The issuer that a token names, before anything of it is verified. */
export const issuerOfToken = (token: string): unknown => {
  const [, claims] = wellFormed.exec(token) ?? []
  if (claims === undefined || token.length > maxTokenLength) return undefined
  try {
    return (JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { iss?: unknown } | null)?.iss
  } catch {
    return undefined
  }
}

/** Access tokens of the issuers whose users may sign in. Their holders act as those users. */
export const createAccessTokens = (
  clock: Clock,
  { clientOf, tenantIdOf }: Pick<SignIn, 'clientOf' | 'tenantIdOf'>,
  publicUrl: string,
): AccessTokens => {
  const mcpAudience = `${publicUrl}/mcp`

  return {
    isToken: (text) => text.length <= maxTokenLength && wellFormed.test(text),

    find: async (db: Db, token: string) => {
      const client = clientOf(issuerOfToken(token))
      if (!client) throw tokenRefused('invalid')
      const { audience } = client.settings
      // Some issuers write the origin with a slash.
      const everywhere = [publicUrl, `${publicUrl}/`, ...(audience === undefined ? [] : [audience])]
      const claims = await client.verifyAccessToken(token, [...everywhere, mcpAudience])
      const tenantId = await tenantIdOf(client)
      const call = {
        db: db.ofTenant(tenantId),
        clock,
        actor: serviceActor(tenantId),
        origin: ownOrigin('signIn'),
      }
      const keyId = await resolveSignIn(call, { issuer: client.settings, claims, by: 'token' })
      const key = await keyOwner(call.db, tenantId, keyId)
      if (!key) throw tokenRefused('invalid')
      const tokenExpiresAt = claims.exp * 1_000 + toleranceMs
      const owner = { ...key, secret_expires_at: tokenExpiresAt }
      const { plan, actor } = identityOf(owner, await accessOf(db, owner))
      const isForAll = [claims.aud].flat().some((named) => everywhere.includes(String(named)))
      const onlyVia = isForAll ? undefined : ('mcp' as const)
      return { owner, identity: { plan, actor: { ...actor, tokenExpiresAt }, onlyVia } }
    },
  }
}
