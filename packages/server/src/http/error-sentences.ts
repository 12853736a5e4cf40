import type { ErrorReason } from '../base/error-reasons.js'
import type { ErrorParams, RecordName } from '../base/errors.js'
import { type MissingCheck, missingText } from '../work/tasks/checks/rules.js'
import type { ClaimRemedy } from '../work/tasks/claims/rules.js'

type Text = string | ((params: ErrorParams) => string | undefined)

/** The HTTP text for a reason: a sentence to append to the error's message, and a hint. */
interface Sentence {
  readonly message?: Text
  readonly hint?: Text
}

const projectsOfKey = 'GET /v1/me lists the projects of this key.'

const lists: Partial<Record<RecordName, string>> = {
  'knowledge item': 'GET /v1/knowledge?fields=key lists the keys.',
  project: 'GET /v1/projects lists the projects.',
  task: 'GET /v1/tasks lists the tasks.',
  user: 'GET /v1/users lists the users.',
}

const listOf = ({ record }: ErrorParams): string | undefined => record && lists[record]

const claimRemedies: Record<ClaimRemedy, string> = {
  use_token: 'This key holds the claim: use its token, or set takeover to replace it.',
  take_over: 'Claim another task, or set takeover to replace the claim.',
  wait: 'Claim another task, or wait until the claim expires.',
  send_token: 'This key holds the claim. Send the token in the Worklore-Claim header.',
  ask_holder:
    'Until then only its holder or an admin key can change its status, assignee or resources, or delete it. Its holder sends the token in the Worklore-Claim header.',
}

const deciders = {
  anyone: 'pass it with evidence',
  other: 'set the task to in_review, for a key that did not work on it to decide',
  human: 'set the task to in_review, for a human to decide',
}

const maxShownChecks = 5

const missingChecks = (checks: readonly MissingCheck[]): string => {
  const shown = checks
    .slice(0, maxShownChecks)
    .map((check) => missingText({ ...check, text: JSON.stringify(check.text) }, deciders))
  const more = checks.length > shown.length ? [`${checks.length - shown.length} more are missing.`] : []
  return [...shown, ...more].join(' ')
}

const waitOf = ({ retryAfter }: ErrorParams): string =>
  `Try again in ${retryAfter === 1 ? '1 second' : `${retryAfter} seconds`}.`

const largerPlan = 'npx worklore tenants set-plan TENANT PLAN'

/** Null if the message of the error says everything. */
const httpSentences: Record<ErrorReason, Sentence | null> = {
  invalid_input: null,
  unknown_record: { hint: listOf },
  no_user: {
    hint: ({ keyId }) =>
      `An admin gives it a user with PATCH /v1/keys/${keyId} {"userId": "usr_…"}; GET /v1/users lists them.`,
  },
  malformed: null,

  missing: null,
  invalid: null,
  expired: null,
  revoked: null,

  scope: null,
  role: null,
  project: { hint: projectsOfKey },
  tenant_wide: { message: 'Set projectId to one of its projects.', hint: projectsOfKey },
  unreadable: { hint: projectsOfKey },
  author: null,
  verifier: {
    hint: ({ canHandIn }) => (canHandIn ? 'Set the task to in_review and go on with another one.' : undefined),
  },
  quota: { hint: `GET /v1/me shows all quotas. The operator changes the plan with: ${largerPlan}` },
  key_lifetime: {
    hint: ({ latest }) => `Set expiresAt to ${latest} or earlier, or use a key that does not expire.`,
  },
  key_addresses: {
    hint: ({ allowedAddresses }) =>
      `Set allowedAddresses to addresses within ${(allowedAddresses as string[]).join(', ')}.`,
  },
  key_limits: null,
  address: null,
  host: null,
  origin: { hint: 'Other programs send an API key: "Authorization: Bearer <API key>".' },
  sign_in: null,

  not_found: { message: 'Check the identifier, or list the records to find it.', hint: listOf },
  no_route: null,
  no_check: null,
  no_version: null,
  moved: null,
  elsewhere: { message: ({ candidates }) => (candidates ? undefined : 'Leave projectId out.') },

  method: null,
  timeout: null,

  claimed: { message: ({ remedy }) => claimRemedies[remedy as ClaimRemedy] },
  blocked: null,
  closed: null,
  checks: { message: ({ checks }) => missingChecks(checks as MissingCheck[]) },
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
  not_empty: { hint: 'Repeat the request with ?force=true.' },
  ambiguous: { message: ({ keyIds }) => `Set ${keyIds ? 'keyId' : 'projectId'} to one of them.` },
  same_project: null,
  limit: null,
  size: null,
  running: null,
  restoring: null,
  parent_deleted: null,
  others_work: null,
  no_effect: null,
  disabled: { hint: 'Enable it first: PATCH it with {"active": true}.' },
  replaying: null,
  no_url: null,
  no_secret: null,
  session: { hint: 'Send replace: true to sign in with the link.' },

  trimmed: { hint: ({ oldest }) => `Read the records again, then continue with after=${Number(oldest) - 1}.` },
  version: {
    message: ({ currentVersion }) =>
      currentVersion === null
        ? 'Send the request without If-Match to create it.'
        : 'Read it again, reapply your change and send that version in If-Match.',
  },
  claim_lost: null,
  too_large: null,
  media_type: null,
  key_reused: null,
  rate: {
    message: waitOf,
    hint: ({ plan }) =>
      plan
        ? `Wait retryAfter seconds, or ask the operator for a larger plan: ${largerPlan}`
        : 'Send a valid key as "Authorization: Bearer <API key>".',
  },
  open_limit: null,
  headers: null,
  internal: { message: 'If it persists, report the requestId.' },
  unavailable: null,
}

const textOf = (text: Text | undefined, params: ErrorParams): string | undefined =>
  typeof text === 'function' ? text(params) : text

/** Returns the message and the hint that HTTP sends for an error. */
export const httpTextOf = (
  reason: ErrorReason,
  message: string,
  params: ErrorParams,
): { message: string; hint: string | undefined } => {
  const sentence = httpSentences[reason]
  const next = textOf(sentence?.message, params)
  return { message: next === undefined ? message : `${message} ${next}`, hint: textOf(sentence?.hint, params) }
}
