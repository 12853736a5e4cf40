import type { ApiError, Check, Claim, ErrorReason } from 'worklore-client'

type Text = string | ((error: ApiError) => string)

/** A sentence that follows the message of the service, or one that replaces it. */
type Sentence = Text | { readonly instead: Text }

const projectsOfKey = 'wl whoami lists the projects of this key.'

const claimRemedies: Record<string, string> = {
  use_token: 'This key holds the claim: use its token, or add --takeover to replace it.',
  take_over: 'Claim another task, or add --takeover to replace the claim.',
  wait: 'Claim another task, or wait until the claim expires.',
  send_token: 'This key holds the claim. Name it with --claim-token TOKEN.',
  ask_holder: 'Until then only its holder or an admin key can change its status, assignee or resources, or delete it.',
}

const claimedText = ({ fields }: ApiError): string => {
  const claim = fields.claim as Claim
  const taskId = claim.token.slice(0, claim.token.lastIndexOf('.'))
  const held = `${taskId} is claimed by ${JSON.stringify(claim.keyName)} until ${claim.expiresAt}.`
  return [held, claimRemedies[String(fields.remedy)]].filter(Boolean).join(' ')
}

type Missing = Pick<Check, 'id' | 'text' | 'verifier' | 'state'>

const deciders: Readonly<Record<Missing['verifier'], string>> = {
  anyone: 'pass it with wl check',
  other: 'hand it in with wl submit, for someone who did not work on it to decide',
  human: 'hand it in with wl submit, for a person to decide',
}

const missingCheck = ({ id, text, verifier, state }: Missing): string =>
  `${id} ${JSON.stringify(text)} ${state === 'failed' ? 'failed: fix it, then' : 'is open:'} ${deciders[verifier]}.`

const checksText = ({ fields: { taskId, checks } }: ApiError): string =>
  [`${taskId} cannot be done yet.`, ...(checks as Missing[]).map(missingCheck)].join(' ')

const notFoundText = ({ fields: { record, id } }: ApiError): string => {
  const name = String(record ?? 'record')
  const list = record === 'project' ? ' wl projects lists the projects.' : ''
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}${id === undefined ? '' : ` "${id}"`} not found.${list}`
}

const versionText = ({ fields: { currentVersion } }: ApiError): string =>
  currentVersion === null
    ? 'The record does not exist, so no version matches. Leave out --if-version to create it.'
    : `The record is now at version ${currentVersion}. Look at it again, then repeat the change.`

/** What `wl` says about a reason. Null if the message of the service says everything. */
const wlSentences: Record<ErrorReason, Sentence | null> = {
  invalid_input: null,
  unknown_record: null,
  no_user: 'Ask an admin to give it a user.',
  malformed: null,

  missing: { instead: 'No API key was sent.' },
  invalid: null,
  expired: null,
  revoked: null,

  scope: null,
  role: null,
  project: projectsOfKey,
  tenant_wide: {
    instead: `This key or its user is limited to projects and cannot write tenant-wide notes. Name a project with -p. ${projectsOfKey}`,
  },
  unreadable: projectsOfKey,
  author: null,
  verifier: ({ fields }) => (fields.canHandIn ? 'Hand it in with wl submit, and go on with another one.' : ''),
  quota: 'wl usage shows all quotas.',
  key_lifetime: ({ fields }) => `Use --expires ${fields.latest} or earlier, or use a key that does not expire.`,
  key_addresses: ({ fields }) =>
    `Use --address with addresses within ${(fields.allowedAddresses as string[]).join(', ')}.`,
  key_limits: null,
  address: null,
  host: null,
  origin: null,
  sign_in: null,

  not_found: { instead: notFoundText },
  no_route: null,
  no_check: null,
  no_version: null,
  moved: null,
  elsewhere: {
    instead: ({ message, fields: { candidates, id } }) =>
      candidates ? message : `Note "${id}" not found in that project. It is tenant-wide: use --tenant.`,
  },

  method: null,
  timeout: null,

  claimed: { instead: claimedText },
  blocked: null,
  closed: null,
  checks: { instead: checksText },
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
  not_empty: 'Add --force.',
  ambiguous: {
    instead: ({ fields: { keyIds } }) =>
      keyIds
        ? 'Several keys used this request id. Name one of them with --key.'
        : 'Several projects have this note. Name one of them with -p.',
  },
  same_project: null,
  limit: null,
  size: null,
  running: { instead: 'The same command is still running.' },
  restoring: null,
  parent_deleted: null,
  others_work: 'Add --include-conflicts.',
  no_effect: null,
  disabled: 'Enable it first: wl webhooks enable ID.',
  replaying: null,
  no_url: null,
  no_secret: null,
  session: null,

  trimmed: null,
  version: { instead: versionText },
  claim_lost: null,
  too_large: null,
  media_type: null,
  key_reused: null,
  rate: ({ fields }) => (fields.plan ? 'Ask the operator for a larger plan.' : ''),
  open_limit: null,
  headers: null,
  internal: {
    instead: ({ requestId }) =>
      `Internal error. Try again; if it persists, report ${requestId ? `the request ${requestId}` : 'it'}.`,
  },
  unavailable: null,
}

const textOf = (text: Text, error: ApiError): string => (typeof text === 'function' ? text(error) : text)

/** Returns what `wl` says about an error of the service. */
export const sentenceOf = (error: ApiError): string => {
  const sentence = error.reason === undefined ? null : wlSentences[error.reason]
  if (sentence === null || sentence === undefined) return error.message
  if (typeof sentence === 'object') return textOf(sentence.instead, error)
  return `${error.message} ${textOf(sentence, error)}`.trim()
}
