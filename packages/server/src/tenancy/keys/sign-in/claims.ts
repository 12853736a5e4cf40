import { foldEmail, isPlainEmail, isSameEmail } from '../../../base/email.js'
import { maxNameLength } from '../../../base/fields.js'
import type { MappedRole, OidcIssuer, RoleRule } from '../../../base/oidc-settings.js'
import { beginningOf, isBlank } from '../../../base/text.js'

/** What an issuer says of a user. */
export interface Claims {
  readonly sub: string
  readonly [name: string]: unknown
}

/** Microsoft Entra sends no `email_verified`; `xms_edov` says that the owner of the domain was verified. */
const isVerified = (claims: Claims): boolean => {
  const said = Object.hasOwn(claims, 'email_verified') ? claims.email_verified : claims.xms_edov
  return said === true || said === 'true' || said === 1 || said === '1'
}

/** Returns the e-mail address if the issuer has verified it, with ASCII letters in lower case. */
export const verifiedEmailOf = (claims: Claims): string | undefined => {
  const { email } = claims
  return typeof email === 'string' && isVerified(claims) && isPlainEmail(email) ? foldEmail(email) : undefined
}

const withoutEmail = ({ email: _email, email_verified: _verified, xms_edov: _owned, ...rest }: Claims): Claims => rest

/**
 * The claims of an ID token, with those that only userinfo has. The e-mail address and whether it is verified are from the
 * same one: people may change the address in one of them without verifying it.
 */
export const mergeClaims = (signed: Claims, userInfo: Claims): Claims =>
  typeof signed.email === 'string' ? { ...withoutEmail(userInfo), ...signed } : { ...userInfo, ...withoutEmail(signed) }

export const isInDomain = (email: string | undefined, domains: readonly string[]): boolean =>
  email !== undefined && domains.includes(email.slice(email.lastIndexOf('@') + 1))

const valuesOf = (claims: Claims, claim: string): unknown[] =>
  Object.hasOwn(claims, claim) ? [claims[claim]].flat() : []

/** An unverified e-mail address may be anyone's: it gives no role, but it can take access away. */
const applies = (claims: Claims, { claim, value, role }: RoleRule): boolean => {
  if (claim !== 'email') return valuesOf(claims, claim).includes(value)
  if (role !== 'disabled') return verifiedEmailOf(claims) === foldEmail(value)
  return valuesOf(claims, claim).some((email) => isSameEmail(String(email), value))
}

/** The first that applies wins. */
const precedence: readonly MappedRole[] = ['disabled', 'admin', 'member', 'none']

/** What the claims of a user give them; undefined where no rule applies. */
export const mappedRoleOf = ({ roles }: Pick<OidcIssuer, 'roles'>, claims: Claims): MappedRole | undefined => {
  const given = new Set(roles.filter((rule) => applies(claims, rule)).map(({ role }) => role))
  return precedence.find((role) => given.has(role))
}

/** Whether a rule takes access away from the user with this address, whatever the claims say. */
export const isDisabledEmail = ({ roles }: Pick<OidcIssuer, 'roles'>, email: string | null): boolean =>
  email !== null &&
  roles.some(({ claim, value, role }) => claim === 'email' && role === 'disabled' && isSameEmail(value, email))

/** Whether the claims have all that the rules of an issuer look at, and an e-mail address. */
export const areComplete = ({ roles }: Pick<OidcIssuer, 'roles'>, claims: Claims): boolean =>
  ['email', 'email_verified', ...roles.map(({ claim }) => claim)].every((claim) => Object.hasOwn(claims, claim))

/** Whether the claims have all by which the rules of an issuer give roles. */
export const haveAllRoleClaims = ({ roles }: Pick<OidcIssuer, 'roles'>, claims: Claims): boolean =>
  roles
    .filter(({ role }) => role !== 'disabled')
    .every(({ claim }) =>
      claim === 'email'
        ? Object.hasOwn(claims, 'email') &&
          (Object.hasOwn(claims, 'email_verified') || Object.hasOwn(claims, 'xms_edov'))
        : Object.hasOwn(claims, claim),
    )

/** What to call a new user. */
export const nameOfUser = (claims: Claims): string => {
  const { name, given_name, preferred_username, sub } = claims
  const texts = [name, given_name, preferred_username, verifiedEmailOf(claims)?.split('@')[0], sub]
  const text = texts.find((text): text is string => typeof text === 'string' && !isBlank(text))
  return beginningOf(
    text
      ?.toWellFormed()
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim() ?? 'user',
    maxNameLength,
  )
}
