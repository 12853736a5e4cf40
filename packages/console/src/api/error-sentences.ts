import type { ApiError, Check, Claim, ErrorReason } from 'worklore-client'

type Sentence = string | ((error: ApiError) => string)

const missing = 'It does not exist, or your key may not see it.'
const changed = 'Someone else changed it meanwhile. Look at it as it is now, then try again.'

const timeText = (iso: unknown): string => new Date(String(iso)).toLocaleString()

const claimedText = ({ fields }: ApiError): string => {
  const claim = fields.claim as Claim
  const taskId = claim.token.slice(0, claim.token.lastIndexOf('.'))
  return `${taskId} is claimed by “${claim.keyName}” until ${timeText(claim.expiresAt)}. Until then only its holder or an admin key can change its status, assignee or resources, or delete it.`
}

const checksText = ({ fields: { taskId, checks } }: ApiError): string => {
  const texts = (checks as Check[]).map(({ text, state }) => `“${text}” ${state === 'failed' ? 'failed' : 'is open'}`)
  return `${taskId} cannot be done yet: ${texts.join(', ')}.`
}

/** Reasons whose message the console shows as the service sends it. They are a type, so that they cost the page no bytes. */
type ShownAsSent =
  | 'invalid_input'
  | 'unknown_record'
  | 'malformed'
  | 'invalid'
  | 'expired'
  | 'revoked'
  | 'role'
  | 'project'
  | 'unreadable'
  | 'author'
  | 'quota'
  | 'key_limits'
  | 'address'
  | 'host'
  | 'origin'
  | 'sign_in'
  | 'no_check'
  | 'no_version'
  | 'moved'
  | 'method'
  | 'blocked'
  | 'closed'
  | 'cycle'
  | 'depth'
  | 'answered'
  | 'withdrawn'
  | 'resource'
  | 'paused'
  | 'status_in_use'
  | 'in_use'
  | 'exists'
  | 'superseded'
  | 'same_project'
  | 'limit'
  | 'size'
  | 'restoring'
  | 'parent_deleted'
  | 'others_work'
  | 'no_effect'
  | 'replaying'
  | 'no_url'
  | 'no_secret'
  | 'session'
  | 'trimmed'
  | 'media_type'
  | 'key_reused'
  | 'open_limit'
  | 'headers'

const sentences: Record<Exclude<ErrorReason, ShownAsSent>, Sentence> = {
  no_user: 'Your key belongs to no user, and only users have an inbox. Ask an admin to give it a user.',
  missing: 'You are not signed in.',
  scope: ({ fields }) => `This needs the scope ${fields.requiredScope}, which your key does not have.`,
  tenant_wide: 'You are limited to projects and cannot write shared notes. Choose a project.',
  verifier: ({ message, fields }) => (fields.canHandIn ? `${message} Set the task to In review.` : message),
  key_lifetime: ({ message, fields }) => `${message} Choose ${timeText(fields.latest)} or earlier.`,
  key_addresses: ({ message, fields }) =>
    `${message} Use addresses within ${(fields.allowedAddresses as string[]).join(', ')}.`,
  not_found: missing,
  no_route: missing,
  elsewhere: missing,
  timeout: 'The service did not receive all of it in time. Try again.',
  claimed: claimedText,
  checks: checksText,
  not_empty: 'It is not empty. Delete its contents first.',
  ambiguous: ({ fields }) =>
    fields.keyIds
      ? 'Several keys made this request. Choose one of them.'
      : 'Several projects have this note. Open it there.',
  running: 'The same change is still being saved. Try again in a moment.',
  disabled: 'This webhook is disabled. Enable it first.',
  version: changed,
  claim_lost: changed,
  too_large: 'The text is too large.',
  rate: ({ message, fields }) =>
    fields.plan
      ? `${message} Or ask the operator for a larger plan: npx worklore tenants set-plan TENANT PLAN.`
      : message,
  internal: 'Something went wrong in the service.',
  unavailable: 'The service is busy. Try again in a moment.',
}

/** A time in a message of the service. */
const isoTime = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** Returns what the console says about an error of the service. */
export const sentenceOf = (error: ApiError): string => {
  const sentence = (sentences as Partial<Record<string, Sentence>>)[error.reason ?? '']
  if (typeof sentence === 'string') return sentence
  return sentence ? sentence(error) : error.message.replace(isoTime, timeText)
}
