import { type ErrorReason, errorCodes } from 'worklore/dist/src/base/error-reasons.js'
import { AppError, type ErrorParams, invalid, notFound, versionMismatch } from 'worklore/dist/src/base/errors.js'
import { errorFields } from 'worklore/dist/src/http/errors.js'
import type { ClaimRemedy } from 'worklore/dist/src/work/tasks/claims/rules.js'

const claim = { token: 'ACME-1.2', keyId: 'key_2', keyName: 'Ada', expiresAt: '2030-01-31T09:00:00.000Z' }

const claimed = (remedy: ClaimRemedy): AppError =>
  new AppError('claimed', `ACME-1 is claimed by "Ada" until ${claim.expiresAt}.`, { claim, remedy, retryAfter: 60 })

const missingChecks = [
  { id: 'c1', text: 'Tests pass', verifier: 'anyone', state: 'failed' },
  { id: 'c2', text: 'Reviewed', verifier: 'other', state: 'open' },
  { id: 'c3', text: 'Approved', verifier: 'human', state: 'open' },
]

/** Returns one error with a placeholder as its message. */
const plain = (reason: ErrorReason, params: ErrorParams = {}): AppError[] => [
  new AppError(reason, `Message of ${reason}.`, params),
]

/** Sample errors of every reason, with the parameters that determine what the interfaces say. */
export const errorSamples: Record<ErrorReason, AppError[]> = {
  invalid_input: [
    invalid({ path: 'dueDate', message: 'must be a date' }, { path: 'projectId', message: 'is required' }),
  ],
  unknown_record: [
    invalid({ path: 'projectId', message: 'project "X" not found', record: 'project' }),
    invalid({ path: 'assigneeId', message: 'user "x" not found', record: 'user' }),
    invalid({ path: 'blockedBy.0', message: 'task "X-1" not found', record: 'task' }),
  ],
  no_user: plain('no_user', { keyId: 'key_1' }),
  malformed: plain('malformed'),
  missing: plain('missing'),
  invalid: plain('invalid'),
  expired: plain('expired'),
  revoked: plain('revoked'),
  scope: plain('scope', { requiredScope: 'tasks:write' }),
  role: plain('role'),
  project: plain('project'),
  tenant_wide: plain('tenant_wide'),
  unreadable: plain('unreadable'),
  author: plain('author'),
  verifier: [...plain('verifier'), ...plain('verifier', { canHandIn: true })],
  quota: plain('quota'),
  key_lifetime: plain('key_lifetime', { latest: '2030-01-31T09:00:00.000Z' }),
  key_addresses: plain('key_addresses', { allowedAddresses: ['10.0.0.0/8', '192.0.2.1'] }),
  key_limits: plain('key_limits'),
  address: plain('address'),
  host: plain('host'),
  origin: plain('origin'),
  sign_in: plain('sign_in'),
  not_found: [
    notFound('task', 'ACME-9'),
    notFound('project', 'X'),
    notFound('user', 'x'),
    notFound('knowledge item', 'a/b'),
    notFound('comment', 'cmt_1'),
  ],
  no_route: plain('no_route'),
  no_check: plain('no_check'),
  no_version: plain('no_version'),
  moved: plain('moved'),
  elsewhere: [...plain('elsewhere', { id: 'a/b' }), ...plain('elsewhere', { candidates: ['prj_1'] })],
  method: plain('method'),
  timeout: plain('timeout'),
  claimed: [claimed('use_token'), claimed('take_over'), claimed('wait'), claimed('send_token'), claimed('ask_holder')],
  blocked: plain('blocked'),
  closed: plain('closed'),
  checks: [new AppError('checks', 'ACME-1 cannot be done yet.', { taskId: 'ACME-1', checks: missingChecks })],
  cycle: plain('cycle'),
  depth: plain('depth'),
  answered: plain('answered'),
  withdrawn: plain('withdrawn'),
  resource: plain('resource'),
  paused: plain('paused'),
  status_in_use: plain('status_in_use'),
  in_use: plain('in_use'),
  exists: plain('exists'),
  superseded: plain('superseded'),
  not_empty: plain('not_empty'),
  ambiguous: [...plain('ambiguous', { candidates: ['prj_1'] }), ...plain('ambiguous', { keyIds: ['key_1', 'key_2'] })],
  same_project: plain('same_project'),
  limit: plain('limit'),
  size: plain('size'),
  running: plain('running'),
  restoring: plain('restoring'),
  parent_deleted: plain('parent_deleted'),
  others_work: plain('others_work'),
  no_effect: plain('no_effect'),
  disabled: plain('disabled'),
  replaying: plain('replaying'),
  no_url: plain('no_url'),
  no_secret: plain('no_secret'),
  session: plain('session'),
  trimmed: plain('trimmed', { oldest: 7 }),
  version: [versionMismatch(3), versionMismatch(null)],
  claim_lost: plain('claim_lost'),
  too_large: plain('too_large'),
  media_type: plain('media_type'),
  key_reused: plain('key_reused'),
  rate: [...plain('rate', { plan: 'free', retryAfter: 30 }), ...plain('rate', { retryAfter: 1 })],
  open_limit: plain('open_limit'),
  headers: plain('headers'),
  internal: plain('internal'),
  unavailable: plain('unavailable'),
}

/** Lists each reason, followed by an indented line with what an interface says for each of its samples. */
export const sentencesOfSamples = async (say: (error: AppError) => string | Promise<string>): Promise<string> => {
  const lines: string[] = []
  for (const [reason, errors] of Object.entries(errorSamples)) {
    lines.push(reason)
    for (const error of errors) lines.push(`  ${await say(error)}`)
  }
  return `${lines.join('\n')}\n`
}

/** Returns the status and the fields of an error as a client receives them. */
export const responseOf = (error: AppError) => ({
  status: errorCodes[error.code],
  fields: { ...errorFields(error), requestId: 'req_1' },
})
