import type { ErrorReason } from '../base/error-reasons.js'
import type { ErrorParams, RecordName } from '../base/errors.js'
import type { OperationCall } from '../operations/operation.js'
import type { MissingCheck } from '../work/tasks/checks/rules.js'
import type { ClaimRemedy } from '../work/tasks/claims/rules.js'
import { ownProjectKeys, projectKeys } from './projects.js'
import { missingChecksText } from './text/checks.js'
import { word } from './text/text.js'

/** A sentence that follows the message of an error, or a function that returns it. */
type Sentence = string | ((params: ErrorParams, call: OperationCall) => string | Promise<string>)

const projectsOfKey = async (call: OperationCall): Promise<string> =>
  `Projects of this key: ${(await ownProjectKeys(call)).join(', ') || 'none'}.`

const projectsWith = async (candidates: unknown, call: OperationCall): Promise<string> =>
  `Projects with it: ${(await projectKeys(call, candidates as string[])).join(', ')}.`

const lists: Partial<Record<RecordName, string>> = {
  'knowledge item': 'list_knowledge lists the keys.',
  task: 'list_tasks lists them.',
  user: 'get_task shows the id of an assignee.',
}

const listOf = async ({ record, nearest }: ErrorParams, call: OperationCall): Promise<string> => {
  const list = record === 'project' ? await projectsOfKey(call) : record && lists[record]
  const guess = typeof nearest === 'string' ? `Did you mean ${word(nearest)}?` : ''
  return [guess, list].filter(Boolean).join(' ')
}

const claimRemedies: Record<ClaimRemedy, string> = {
  use_token: 'This key holds the claim: use its token, or set takeover to replace it.',
  take_over: 'Claim another task, or set takeover to replace the claim.',
  wait: 'Claim another task, or wait until the claim expires.',
  send_token: 'This key holds the claim. Send its token as claim.',
  ask_holder:
    'Until then only its holder or an admin key can change its status, assignee or resources, or delete it. add_comment reaches its holder.',
}

/** The text of the tools for each reason. Null if the message of the error says everything. */
export const mcpSentences: Record<ErrorReason, Sentence | null> = {
  invalid_input: null,
  unknown_record: listOf,
  no_user: 'Ask an admin to give it a user.',
  malformed: null,

  missing: null,
  invalid: null,
  expired: null,
  revoked: null,

  scope: null,
  role: null,
  project: (_, call) => projectsOfKey(call),
  tenant_wide: async (_, call) => `Set project to one of its projects. ${await projectsOfKey(call)}`,
  unreadable: (_, call) => projectsOfKey(call),
  author: null,
  verifier: ({ canHandIn }) => (canHandIn ? 'End with finish_task, outcome review, and go on with another one.' : ''),
  quota: null,
  key_lifetime: null,
  key_addresses: null,
  key_limits: null,
  address: null,
  host: null,
  origin: null,
  sign_in: null,

  not_found: listOf,
  no_route: null,
  no_check: null,
  no_version: null,
  moved: null,
  elsewhere: ({ candidates }, call) => (candidates ? projectsWith(candidates, call) : 'Leave project out.'),

  method: null,
  timeout: null,

  claimed: ({ remedy }) => claimRemedies[remedy as ClaimRemedy],
  blocked: null,
  closed: null,
  checks: ({ checks }) => missingChecksText(checks as MissingCheck[]),
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
  not_empty: null,
  ambiguous: async ({ candidates }, call) =>
    candidates ? `Set project to one of them. ${await projectsWith(candidates, call)}` : 'Set project to one of them.',
  same_project: null,
  limit: null,
  size: null,
  running: null,
  restoring: null,
  parent_deleted: null,
  others_work: null,
  no_effect: null,
  disabled: null,
  replaying: null,
  no_url: null,
  no_secret: null,
  session: null,

  trimmed: null,
  version: ({ currentVersion }) =>
    currentVersion === null
      ? 'Leave version out to create it.'
      : 'Read it again, apply your change to it and send that version.',
  claim_lost: null,
  too_large: null,
  media_type: null,
  key_reused: null,
  rate: 'Wait, or ask the operator for a larger plan.',
  open_limit: null,
  headers: null,
  internal: null,
  unavailable: null,
}
