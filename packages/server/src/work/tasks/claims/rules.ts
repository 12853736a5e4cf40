import { isoTime } from '../../../base/clock.js'
import { AppError } from '../../../base/errors.js'
import { type Actor, holdsScope } from '../../../operations/actor.js'
import type { TaskStatus } from '../../../tenancy/projects/statuses.js'
import { isClosed } from '../queue/ready.js'
import type { Claim } from './schema.js'

/**
 * The rule of claims. A claim is a lease on a task, held by one key, with a number that fences out whoever held the
 * task before:
 *
 * - at most one claim of a task is live, and it is live until its `expiresAt`;
 * - a write that names a claim happens only while that claim is live and held by the caller's key;
 * - while a claim is live, only its holder or an admin changes the status, the assignee or the resources, or deletes the task;
 * - whoever lets a claim expire may still renew or release it, unless someone claimed the task or changed its status.
 */

/** What is kept of a task's claims. */
export interface ClaimState {
  /** Of the newest claim, live or not; 0 before the first. */
  number: number
  /** The claim as the task shows it: it may have expired without anyone having noticed. */
  current: Claim | null
  /** The length that a renewal extends it by. */
  leaseMs: number
  /** The newest claim, where it ended by expiry and nothing has happened since. */
  expired: Claim | null
}

export const noClaims: ClaimState = { number: 0, current: null, leaseMs: 0, expired: null }

export const isLive = (claim: Claim | null, nowMs: number): claim is Claim =>
  claim !== null && Date.parse(claim.expiresAt) > nowMs

export const hasLapsed = (claim: Claim | null, nowMs: number): claim is Claim => claim !== null && !isLive(claim, nowMs)

const endOf = (actor: Actor, nowMs: number, leaseMs: number): string =>
  isoTime(Math.min(nowMs + leaseMs, actor.keyExpiresAt ?? Number.POSITIVE_INFINITY))

export const grant = (
  taskId: string,
  { number }: ClaimState,
  actor: Actor,
  nowMs: number,
  { leaseMs, worker, note }: { leaseMs: number; worker: string | null; note: string | null },
): ClaimState => ({
  number: number + 1,
  current: {
    token: `${taskId}.${number + 1}`,
    keyId: actor.keyId,
    keyName: actor.keyName,
    userId: actor.userId,
    worker,
    note,
    claimedAt: isoTime(nowMs),
    renewedAt: isoTime(nowMs),
    expiresAt: endOf(actor, nowMs, leaseMs),
  },
  leaseMs,
  expired: null,
})

export const renewed = (
  state: ClaimState,
  claim: Claim,
  actor: Actor,
  nowMs: number,
  leaseMs = state.leaseMs,
): ClaimState => ({
  ...state,
  current: { ...claim, renewedAt: isoTime(nowMs), expiresAt: endOf(actor, nowMs, leaseMs) },
  leaseMs,
  expired: null,
})

export const ended = (state: ClaimState): ClaimState => ({ ...state, current: null, expired: null })

/** Ended by time: its holder may still hand in. */
export const lapsed = (state: ClaimState): ClaimState => ({ ...state, current: null, expired: state.current })

/** Ends no later than the given time. */
export const endingBy = (state: ClaimState, endMs: number): ClaimState =>
  state.current && Date.parse(state.current.expiresAt) > endMs
    ? { ...state, current: { ...state.current, expiresAt: isoTime(endMs) } }
    : state

const tokenForm = /^([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,14})\.([1-9]\d{0,14})$/

/** The task that a token is about; undefined where it is none. */
export const taskOfToken = (token: string): string | undefined => tokenForm.exec(token)?.[1]

/** Of the claim; not a number where it is none. */
export const numberOfToken = (token: string): number => Number(tokenForm.exec(token)?.[2])

const lost = (token: string, message: string): AppError => new AppError('claim_lost', message, { claim: token })

const overText = (token: string): string => `Claim ${token} is no longer held by this key, so nothing was changed.`

/** The error of a claim that is over, and what the caller can do instead. */
export const claimLost = (token: string, current: Claim | null = null, actor?: Actor): AppError => {
  if (taskOfToken(token) === undefined) {
    return lost(token, `${JSON.stringify(token)} is not a claim token such as ACME-12.7, so nothing was changed.`)
  }
  const over = overText(token)
  if (!current) return lost(token, `${over} Stop working on the task, or claim it again.`)
  if (current.keyId === actor?.keyId) return lost(token, `${over} This key now holds claim ${current.token}.`)
  return lost(token, `${over} Stop working on the task: ${heldText(current)}.`)
}

/** The error of a claim that is sent for another task than its own. */
export const claimOfAnotherTask = (token: string, taskId: string): AppError =>
  lost(token, `Claim ${token} is for ${taskOfToken(token)}, not for ${taskId}, so nothing was changed.`)

const heldText = (claim: Claim): string =>
  `${taskOfToken(claim.token)} is claimed by ${JSON.stringify(claim.keyName)} until ${claim.expiresAt}`

const isHeldBy = (claim: Claim | null, token: string, actor: Actor): claim is Claim =>
  claim !== null && claim.token === token && claim.keyId === actor.keyId

/** The claim that a write names, which must be live and the caller's. */
export const requireLive = (state: ClaimState, token: string, actor: Actor, nowMs: number): Claim => {
  const { current } = state
  if (isHeldBy(current, token, actor) && isLive(current, nowMs)) return current
  throw claimLost(token, isLive(current, nowMs) ? current : null, actor)
}

/** The claim to renew or release: the same, or one that expired and was followed by nothing. */
export const requireHeld = (
  state: ClaimState,
  token: string,
  actor: Actor,
  { status, statusCategory }: TaskStatus,
): Claim => {
  const claim = state.current ?? state.expired
  if (isHeldBy(claim, token, actor)) return claim
  const taskId = taskOfToken(token)
  if (numberOfToken(token) > state.number) {
    const now = state.current ? heldText(state.current) : `${taskId} is ${status} and not claimed`
    throw lost(token, `Claim ${token} does not exist, so nothing was changed. ${now}.`)
  }
  if (state.current) throw claimLost(token, state.current, actor)
  throw lost(
    token,
    `${overText(token)} ${taskId} is ${status}${isClosed(statusCategory) ? '' : ': claim it again to go on'}.`,
  )
}

export const secondsLeft = (claim: Claim, nowMs: number): number =>
  Math.max(1, Math.ceil((Date.parse(claim.expiresAt) - nowMs) / 1_000))

/**
 * What a caller can do about a conflicting claim. The remedies for claiming the task are `use_token`, `take_over` and
 * `wait`. Those for changing it are `send_token` and `ask_holder`. Both tokens are those of the caller's own claim.
 */
export type ClaimRemedy = 'use_token' | 'take_over' | 'wait' | 'send_token' | 'ask_holder'

export const claimedByAnother = (claim: Claim, nowMs: number, remedy: ClaimRemedy): AppError =>
  new AppError('claimed', `${heldText(claim)}.`, { claim, retryAfter: secondsLeft(claim, nowMs), remedy })

/** Whether a caller may make a claim although this one is live. */
export const mayTakeOver = (claim: Claim, actor: Actor): boolean =>
  claim.keyId === actor.keyId || holdsScope(actor, 'admin')

/** Returns the remedy for a caller that could not claim a task because of `claim`. */
export const remedyFor = (claim: Claim, actor: Actor): ClaimRemedy => {
  if (claim.keyId === actor.keyId) return 'use_token'
  return mayTakeOver(claim, actor) ? 'take_over' : 'wait'
}

/** Refuses to change the status, the assignee or the resources of a task, or to delete it, past a live claim of another. */
export const guard = (state: ClaimState, heldToken: string | undefined, actor: Actor, nowMs: number): void => {
  const { current } = state
  if (!isLive(current, nowMs) || current.token === heldToken || holdsScope(actor, 'admin')) return
  throw claimedByAnother(current, nowMs, current.keyId === actor.keyId ? 'send_token' : 'ask_holder')
}
