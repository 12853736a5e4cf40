import { foldEmail } from '../../../base/email.js'
import type { MappedRole, OidcIssuer } from '../../../base/oidc-settings.js'
import { isStorable } from '../../../base/text.js'
import { audit } from '../../../changelog/audit/service.js'
import { type Call, changing } from '../../../operations/call.js'
import type { User } from '../../users/schema.js'
import { createUser, findUser, onlyHumanWithEmail, updateUser } from '../../users/service.js'
import { createSignInKey, findSignInKey } from '../service.js'
import {
  type Claims,
  haveAllRoleClaims,
  isDisabledEmail,
  isInDomain,
  mappedRoleOf,
  nameOfUser,
  verifiedEmailOf,
} from './claims.js'
import { signInRefused } from './refusals.js'
import { findIdentity, isBoundTo, lockTenant, saveIdentity, type UserIdentity } from './store.js'

type Role = User['role']

/** Who signs in: what an issuer says of them. */
interface SignIn {
  issuer: OidcIssuer
  claims: Claims
  /** Access tokens often lack claims, and may be older than the last sign-in in a browser. */
  by: 'browser' | 'token'
}

/** As OpenID Connect bounds it. */
const maxSubjectLength = 255

const subjectOf = ({ sub }: Claims): string => {
  if (sub.length > 0 && sub.length <= maxSubjectLength && isStorable(sub)) return sub
  throw signInRefused('response')
}

const allowedRoleOf = ({ issuer, claims }: SignIn): Role | undefined => {
  const role = mappedRoleOf(issuer, claims)
  if (role === 'disabled') throw signInRefused('disabled')
  return role
}

const refuseDisabled = ({ issuer }: SignIn, { email }: User): void => {
  if (isDisabledEmail(issuer, email)) throw signInRefused('disabled')
}

const strengths: Record<Role, number> = { none: 0, member: 1, admin: 2 }

/** The role of a user to whom no claim gives one any longer. */
const roleWithoutClaim = ({ issuer, claims, by }: SignIn, user: User): Role => {
  const isEmailLeftOut = by === 'token' && !Object.hasOwn(claims, 'email')
  const email = isEmailLeftOut && user.email !== null ? foldEmail(user.email) : verifiedEmailOf(claims)
  return isInDomain(email, issuer.domains) ? 'member' : 'none'
}

/**
 * The role that a user is to have from now on; undefined where theirs stays. What was set by hand stays until the claims
 * give something else than before. A token only lowers a role.
 */
const nextRole = (
  signIn: SignIn,
  mapped: Role | undefined,
  before: MappedRole | null,
  user: User,
): Role | undefined => {
  if ((mapped ?? null) === before) return undefined
  const role = mapped ?? roleWithoutClaim(signIn, user)
  if (signIn.by === 'browser') return role
  const isLower = haveAllRoleClaims(signIn.issuer, signIn.claims) && strengths[role] < strengths[user.role]
  return isLower ? role : undefined
}

const createSignedIn = (call: Call, { issuer, claims }: SignIn, mapped: Role | undefined): Promise<User> => {
  const email = verifiedEmailOf(claims)
  if (mapped === undefined && !isInDomain(email, issuer.domains)) throw signInRefused(email ? 'unknown' : 'email')
  return createUser(call, { name: nameOfUser(claims), email: email ?? null, role: mapped ?? 'member' })
}

/** The user whose account it becomes: the one with its verified e-mail address, or a new one. */
const bindUser = async (call: Call, signIn: SignIn, mapped: Role | undefined): Promise<UserIdentity> => {
  const { issuer, claims } = signIn
  const { tenantId } = call.actor
  const email = verifiedEmailOf(claims)
  const known = email === undefined ? undefined : await onlyHumanWithEmail(call, email)
  const isFree = known !== undefined && !(await isBoundTo(call.db, tenantId, known, issuer.issuer))
  const userId = isFree ? known : (await createSignedIn(call, signIn, mapped)).id
  const mappedRole = isFree ? null : (mapped ?? null)
  const identity = { issuer: issuer.issuer, subject: subjectOf(claims), userId, mappedRole }
  await saveIdentity(call.db, tenantId, identity, call.clock())
  await audit(call, 'user.bound', { subject: userId, details: { issuer: issuer.issuer, created: !isFree } })
  return identity
}

const changeRole = async (
  call: Call,
  identity: UserIdentity,
  role: Role,
  mappedRole: MappedRole | null,
): Promise<void> => {
  await updateUser(call, identity.userId, { role })
  await saveIdentity(call.db, call.actor.tenantId, { ...identity, mappedRole }, call.clock())
}

/**
 * The key that the user of an account acts through. The account is bound to its user at the first sign-in, by the rules
 * of the issuer; throws where these refuse it.
 */
export const resolveSignIn = async (call: Call, signIn: SignIn): Promise<string> => {
  const mapped = allowedRoleOf(signIn)
  const subject = subjectOf(signIn.claims)
  const { tenantId } = call.actor
  const find = (call: Call): Promise<UserIdentity | undefined> =>
    findIdentity(call.db, tenantId, signIn.issuer.issuer, subject)

  const known = await find(call)
  const user = known && (await findUser(call, known.userId))
  if (user) {
    refuseDisabled(signIn, user)
    const key = await findSignInKey(call, user.id)
    if (key && nextRole(signIn, mapped, known.mappedRole, user) === undefined) {
      if (key.isRevoked) throw signInRefused('revoked')
      return key.id
    }
  }
  return changing(call, async (call) => {
    if (!(await lockTenant(call.db, tenantId))) throw signInRefused('tenant')
    const identity = (await find(call)) ?? (await bindUser(call, signIn, mapped))
    const user = (await findUser(call, identity.userId))!
    refuseDisabled(signIn, user)
    const role = nextRole(signIn, mapped, identity.mappedRole, user)
    if (role !== undefined) await changeRole(call, identity, role, mapped ?? null)
    const key = await findSignInKey(call, identity.userId)
    if (key?.isRevoked) throw signInRefused('revoked')
    return key?.id ?? createSignInKey(call, user)
  })
}
