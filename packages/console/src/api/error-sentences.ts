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

/** What the console says about a reason. Null if it shows the message of the service. */
export const consoleSentences: Record<ErrorReason, Sentence | null> = {
  invalid_input: null,
  unknown_record: null,
  no_user: 'Your key belongs to no user, and only users have an inbox. Ask an admin to give it a user.',
  malformed: null,

  missing: 'You are not signed in.',
  invalid: null,
  expired: null,
  revoked: null,

  scope: ({ fields }) => `This needs the scope ${fields.requiredScope}, which your key does not have.`,
  role: null,
  project: null,
  tenant_wide: 'You are limited to projects and cannot write shared notes. Choose a project.',
  unreadable: null,
  author: null,
  verifier: ({ message, fields }) => (fields.canHandIn ? `${message} Set the task to In review.` : message),
  quota: null,
  key_lifetime: ({ message, fields }) => `${message} Choose ${timeText(fields.latest)} or earlier.`,
  key_addresses: ({ message, fields }) =>
    `${message} Use addresses within ${(fields.allowedAddresses as string[]).join(', ')}.`,
  key_limits: null,
  address: null,
  host: null,
  origin: null,
  sign_in: null,

  not_found: missing,
  no_route: missing,
  no_check: null,
  no_version: null,
  moved: null,
  elsewhere: missing,

  method: null,
  timeout: 'The service did not receive all of it in time. Try again.',

  claimed: claimedText,
  blocked: null,
  closed: null,
  checks: checksText,
  cycle: null,
  depth: null,
  answered: null,
  withdrawn: null,
  resource: null,
  paused: null,
  status_in_use: null,
  in_use: null,
  exists: null,
  superseded: null,
  not_empty: 'It is not empty. Delete its contents first.',
  ambiguous: ({ fields }) =>
    fields.keyIds
      ? 'Several keys made this request. Choose one of them.'
      : 'Several projects have this note. Open it there.',
  same_project: null,
  limit: null,
  size: null,
  running: 'The same change is still being saved. Try again in a moment.',
  restoring: null,
  parent_deleted: null,
  others_work: null,
  no_effect: null,
  disabled: 'This webhook is disabled. Enable it first.',
  replaying: null,
  no_url: null,
  no_secret: null,
  session: null,

  trimmed: null,
  version: changed,
  claim_lost: changed,
  too_large: 'The text is too large.',
  media_type: null,
  key_reused: null,
  rate: ({ message, fields }) =>
    fields.plan
      ? `${message} Or ask the operator for a larger plan: npx worklore tenants set-plan TENANT PLAN.`
      : message,
  open_limit: null,
  headers: null,
  internal: 'Something went wrong in the service.',
  unavailable: 'The service is busy. Try again in a moment.',
}

/** A time in a message of the service. */
const isoTime = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** Returns what the console says about an error of the service. */
export const sentenceOf = (error: ApiError): string => {
  const sentence = error.reason === undefined ? null : consoleSentences[error.reason]
  if (typeof sentence === 'string') return sentence
  return sentence ? sentence(error) : error.message.replace(isoTime, timeText)
}
