import { AppError, type ErrorDetail, invalid } from '../../../base/errors.js'
import { isBlank } from '../../../base/text.js'
import type { Actor } from '../../../operations/actor.js'
import { maxChecks } from '../../../tenancy/projects/schema.js'
import type { ClaimState } from '../claims/rules.js'
import type { Check, CheckCounts, WantedCheck } from './schema.js'

/**
 * The rule of checks. A task is done only when each of its checks is passed or waived:
 *
 * - a check is decided by whom its verifier allows, with evidence;
 * - a human or an admin may waive one, remove it or change what it says, and until the first claim also the key that
 *   created the task, but for checks that another human has added;
 * - new work on the task (a claim, another title or description, reopening) makes what was passed open again;
 * - a task that is reopened gets the default checks of its project that it lacks.
 */

/** A key, and the user it belongs or last belonged to. */
type Worker = Pick<Actor, 'keyId' | 'userId'>

/** Deleting a user does not make another person of their keys. */
export const workerOf = ({ keyId, userId, lastUserId = null }: Actor): Worker => ({
  keyId,
  userId: userId ?? lastUserId,
})

/** What is kept of the work on a task, for its checks; none of it is part of a version. */
export interface WorkRecord {
  /** The number of the newest check; none is used again. */
  lastCheck: number
  /** Or reopened: its creator has no right to its checks any longer. */
  wasClaimed: boolean
  /** The ids of checks that a human other than the creator has added or changed before. */
  humanChecks?: readonly string[]
  /** Who held a claim or set the task to in_progress or in_review, since it was created or last reopened. */
  workers: readonly Worker[]
}

export const noWork: WorkRecord = { lastCheck: 0, wasClaimed: false, workers: [] }

/** Beyond it everyone counts as one of them, so that nobody slips out of the list. */
const maxWorkers = 200

const isSame = (one: Worker, other: Worker): boolean =>
  one.keyId === other.keyId || (one.userId !== null && one.userId === other.userId)

export const withWorker = (record: WorkRecord, actor: Actor): WorkRecord => {
  const { keyId, userId } = workerOf(actor)
  const { workers } = record
  const isKnown = workers.some((known) => known.keyId === keyId && known.userId === userId)
  return isKnown || workers.length >= maxWorkers ? record : { ...record, workers: [...workers, { keyId, userId }] }
}

/** Whoever reopens a task they worked on stays one who did. */
export const reopenedBy = (record: WorkRecord, actor: Actor): WorkRecord => ({
  ...record,
  wasClaimed: true,
  workers: record.workers.filter((worker) => isSame(worker, workerOf(actor))),
})

/** A claim from before this was recorded counts as well. */
export const hasWorked = (
  { work: { workers }, claims }: { work: WorkRecord; claims: Pick<ClaimState, 'current' | 'expired'> },
  actor: Actor,
): boolean =>
  workers.length >= maxWorkers ||
  [...workers, claims.current, claims.expired].some((worker) => worker !== null && isSame(worker, workerOf(actor)))

const undecided = { state: 'open', evidence: null, by: null, at: null } as const

const numberOf = (id: string): number => Number(/^c([1-9]\d{0,8})$/.exec(id)?.[1] ?? 0)

/** The list that is wanted in place of the present one, and the number of the newest check then. */
export const replaceChecks = (
  present: readonly Check[],
  wanted: readonly WantedCheck[],
  lastCheck: number,
): { checks: Check[]; lastCheck: number } => {
  let last = Math.max(lastCheck, ...present.map(({ id }) => numberOf(id)))
  const checks = wanted.map(({ id, text, verifier }): Check => {
    const known = present.find((check) => check.id === id)
    if (!known) {
      last += 1
      return { id: `c${last}`, text, verifier: verifier ?? 'anyone', ...undecided }
    }
    const changed = { text, verifier: verifier ?? known.verifier }
    const isKept = changed.text === known.text && changed.verifier === known.verifier
    return isKept ? known : { id: known.id, ...changed, ...undecided }
  })
  return { checks, lastCheck: last }
}

/** The checks of a new task: those of its project, then its own. One that is created closed has only its own. */
export const firstChecks = (defaults: readonly WantedCheck[], wanted: readonly WantedCheck[]): Check[] => {
  const all = [...defaults, ...wanted]
  if (all.length > maxChecks) {
    const message = `must have at most ${maxChecks - defaults.length} checks, since the project adds ${defaults.length}`
    throw invalid({ path: 'checks', message })
  }
  return all.map(({ text, verifier }, at) => ({ id: `c${at + 1}`, text, verifier: verifier ?? 'anyone', ...undecided }))
}

/** What is wrong with a list that is wanted, if anything. */
export const wantedProblems = (wanted: readonly WantedCheck[]): ErrorDetail[] =>
  wanted.flatMap(({ id, text }, at) => {
    const isTwice = id !== undefined && wanted.findIndex((check) => check.id === id) < at
    if (isTwice) return [{ path: `checks.${at}.id`, message: `is there twice: "${id}"` }]
    return isBlank(text) ? [{ path: `checks.${at}.text`, message: 'must not be blank' }] : []
  })

/** The checks of another version, as far as they were decided since. */
export const restoredChecks = (present: readonly Check[], wanted: readonly Check[]): Check[] =>
  wanted.map(({ id, text, verifier }) => {
    const known = present.find((check) => check.id === id)
    const isKept = known && known.text === text && known.verifier === verifier
    return isKept ? known : { id, text, verifier, ...undecided }
  })

/** Returns the checks of an earlier version. Checks that were passed then but are not now become undecided. */
export const withoutRegainedPasses = (present: readonly Check[], wanted: readonly Check[]): Check[] =>
  wanted.map((check) => {
    const known = present.find(({ id }) => id === check.id)
    const isPassed = known?.state === 'passed' && known.text === check.text && known.verifier === check.verifier
    return check.state === 'passed' && !isPassed ? { ...check, ...undecided } : check
  })

/** The checks of a list that are missing from the other one, or say something else there. */
export const checksMissingFrom = (other: readonly Check[], checks: readonly Check[]): Check[] =>
  checks.filter(({ id, text, verifier }) => {
    const same = other.find((check) => check.id === id)
    return same?.text !== text || same.verifier !== verifier
  })

/** The checks of a task that is reopened: with those of its project that it lacks, which come first. */
export const reopenedChecks = (
  taskId: string,
  present: readonly Check[],
  defaults: readonly WantedCheck[],
  lastCheck: number,
): { checks: readonly Check[]; lastCheck: number } => {
  const lacking = defaults.filter(
    ({ text, verifier = 'anyone' }) => !present.some((check) => check.text === text && check.verifier === verifier),
  )
  if (lacking.length === 0) return { checks: present, lastCheck }
  if (lacking.length + present.length > maxChecks) {
    throw new AppError(
      'limit',
      `${taskId} cannot be reopened: it has ${present.length} checks, its project adds ${lacking.length}, and at most ${maxChecks} are allowed. Remove some of them in the same request.`,
    )
  }
  return replaceChecks(present, [...lacking, ...present], lastCheck)
}

/** Evidence does not outlive the work that it was about. */
export const withoutPassed = (checks: readonly Check[]): Check[] =>
  checks.map((check) => (check.state === 'passed' ? { ...check, ...undecided } : check))

const isMet = ({ state }: Check): boolean => state === 'passed' || state === 'waived'

export const countsOf = (checks: readonly Check[]): CheckCounts => ({
  total: checks.length,
  open: checks.filter(({ state }) => state === 'open').length,
  failed: checks.filter(({ state }) => state === 'failed').length,
})

/** In the column that lists are filtered by. */
export const checkFlags = { any: 1, failed: 2, open: { anyone: 4, other: 8, human: 16 } } as const

export const flagsOf = (checks: readonly Check[]): number => {
  let flags = 0
  for (const { state, verifier } of checks) {
    flags |= checkFlags.any
    if (state === 'failed') flags |= checkFlags.failed
    if (state === 'open') flags |= checkFlags.open[verifier]
  }
  return flags
}

export type MissingCheck = Pick<Check, 'id' | 'text' | 'verifier' | 'state'>

/** Describes a check that is neither passed nor waived, and what to do about it. `text` is used unchanged. */
export const missingText = (
  { id, text, verifier, state }: MissingCheck,
  whatToDo: Readonly<Record<Check['verifier'], string>>,
): string =>
  state === 'failed'
    ? `${id} ${text} failed: fix it, then ${whatToDo[verifier]}.`
    : `${id} ${text} is open: ${whatToDo[verifier]}.`

/** Refuses that a task is done while a check is missing. */
export const refuseUnchecked = (taskId: string, checks: readonly Check[]): void => {
  const missing = checks.filter((check) => !isMet(check))
  if (missing.length === 0) return
  throw new AppError('checks', `${taskId} cannot be done yet.`, {
    taskId,
    checks: missing.map(({ id, text, verifier, state }): MissingCheck => ({ id, text, verifier, state })),
  })
}

/** `canHandIn` is set if the caller can leave the decision to someone else by handing the task in for review. */
export const notVerifier = (message: string, canHandIn = false): AppError =>
  new AppError('verifier', message, canHandIn ? { canHandIn } : {})
