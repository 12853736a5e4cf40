import { type Awaitable, andThen, isPromise } from '../base/awaitable.js'
import { AppError } from '../base/errors.js'
import { joinObjects } from '../base/json.js'
import { checkPreconditions, type Preconditions } from '../base/versions.js'
import { type Actor, holdsScope, type Scope } from './actor.js'
import { missingScope } from './admission.js'
import { changing } from './call.js'
import type { Attempt, KeptAnswer } from './idempotency/service.js'
import type { Operation, OperationCall } from './operation.js'
import type { Result } from './result.js'
import { waitForResult } from './waiting.js'

/** Makes a repeated request get the answer to the first. */
export interface Once {
  readonly attempt: Attempt
  /** What is kept of a result for the repeated request. */
  keep(result: Result): KeptAnswer
}

interface RunOptions {
  /** The claim that the changes are made under, or that what is read is for. */
  readonly claim?: string | undefined
  readonly once?: Once | undefined
}

/** What came of an operation, or the answer that is kept of it for a repeated request. */
export interface Outcome extends Result {
  readonly replay?: KeptAnswer
}

/** Records in the audit log that a call was refused for its scope, wherever in the operation that turned out. */
const auditRefusal = ({ core, actor, origin }: OperationCall, error: unknown): void => {
  const requiredScope = error instanceof AppError ? error.extras.requiredScope : undefined
  if (typeof requiredScope === 'string')
    core.refusals.note({ action: 'scope.refused', actor, origin, details: { requiredScope } })
}

const audited = <T>(call: OperationCall, work: () => Awaitable<T>): Awaitable<T> => {
  const refuse = (error: unknown): never => {
    auditRefusal(call, error)
    throw error
  }
  try {
    const result = work()
    return isPromise(result) ? result.catch(refuse) : result
  } catch (error) {
    return refuse(error)
  }
}

/**
 * The actor as its key is now. The key was checked when the headers of a request came: since then its body may have
 * taken its time, and the call may have waited for its turn. The authenticator forgets a key that changes, so this costs
 * no statement.
 */
export const currentActor = (call: OperationCall, scope: Scope | undefined): Awaitable<Actor> =>
  andThen(call.actorNow(), (actor) => {
    if (actor !== call.actor && scope && !holdsScope(actor, scope)) throw missingScope(scope, actor)
    return actor
  })

const isChecked = ({ kind, isOpen }: Pick<Operation, 'kind' | 'isOpen'>): boolean => kind === 'write' && !isOpen

/** The call of a write with its actor as the key is now. */
export const currentCall = (call: OperationCall, operation: Pick<Operation, 'kind' | 'isOpen' | 'scope'>) =>
  isChecked(operation)
    ? andThen(currentActor(call, operation.scope), (actor) => (actor === call.actor ? call : { ...call, actor }))
    : call

/** The call of a read that names a claim: what it reads becomes the basis of the claim's task. */
export const readingUnder = (call: OperationCall, claim: string | undefined): OperationCall =>
  claim === undefined ? call : { ...call, basis: call.core.hooks.basisOf(call, claim) }

/**
 * The call under the claim that it names: a write is made only while that is live, a read is recorded. Viewers of a
 * project make few kinds of writes.
 */
const underClaim = (
  call: OperationCall,
  { kind, checksOwnClaim, allowsViewers }: Operation,
  claim: string | undefined,
): OperationCall => {
  const isFenced = claim !== undefined && !checksOwnClaim
  if (kind === 'read') return isFenced ? readingUnder(call, claim) : call
  return { ...call, refusesViewers: !allowsViewers, fence: isFenced ? call.core.hooks.fenceOf(claim) : call.fence }
}

/** Runs an operation. If the caller sent If-Match, first compares it with the version of the record to change. */
const runMatching = (
  call: OperationCall,
  operation: Operation,
  input: Record<string, unknown>,
  prepared?: unknown,
): Awaitable<Result> => {
  const { ifMatch } = input as Preconditions
  if (!operation.versionOf || ifMatch === undefined) return operation.run(call, input, prepared)
  return changing(call, async (inside) => {
    const matching = { ...call, ...inside, plan: call.plan, fence: undefined }
    checkPreconditions({ ifMatch }, await operation.versionOf!(matching, input))
    return operation.run(matching, input, prepared)
  })
}

const runOnce = async (
  call: OperationCall,
  once: Once,
  run: (call: OperationCall) => Awaitable<Result>,
): Promise<Outcome> => {
  const outcome = await call.core.idempotency.once(call, once.attempt, async ({ db, fence }) => {
    const answer = await run({ ...call, db, fence })
    return { answer, ...(!answer.isEmpty && { kept: once.keep(answer) }) }
  })
  return 'answer' in outcome ? outcome.answer : { data: 'null', replay: outcome.replay }
}

/** An outcome with what its operation says beside the data. */
const completed = async (
  call: OperationCall,
  operation: Operation,
  input: Record<string, unknown>,
  outcome: Outcome,
): Promise<Outcome> => {
  const { replay } = outcome
  const data = replay ? JSON.stringify((JSON.parse(replay.body) as { data: unknown }).data) : outcome.data
  const more = await operation.complete?.(call, input, data)
  if (!more) return outcome
  if (!replay) return { ...outcome, more: { ...outcome.more, ...more } }
  return { ...outcome, replay: { ...replay, body: joinObjects(replay.body, JSON.stringify(more)) } }
}

const runPrepared = async (
  call: OperationCall,
  operation: Operation,
  input: Record<string, unknown>,
  once: Once | undefined,
): Promise<Outcome> => {
  const prepared = await operation.prepare?.(call, input)
  const run = (call: OperationCall): Awaitable<Result> => runMatching(call, operation, input, prepared)
  const attempt = async (call: OperationCall): Promise<Outcome> => (once ? runOnce(call, once, run) : run(call))
  const outcome = await waitForResult(operation, call, input, attempt)
  if (!outcome.isEmpty) return operation.complete ? completed(call, operation, input, outcome) : outcome
  if (!operation.explainEmpty) return outcome
  // The key may have changed while the call waited.
  const actor = await currentActor(call, operation.scope)
  return { ...outcome, more: await operation.explainEmpty({ ...call, actor }, input) }
}

/**
 * The one gate of every interface, behind admission: a call that is not to wait takes a slot of its tenant, a write looks
 * at its key again, works under the claim it names and acts once where it is repeated, and refusals are audited.
 */
export const runOperation = (
  call: OperationCall,
  operation: Operation,
  input: Record<string, unknown>,
  { claim, once }: RunOptions = {},
): Awaitable<Outcome> => {
  const run = (call: OperationCall): Awaitable<Outcome> => {
    const under = underClaim(call, operation, claim)
    // Most operations have nothing to wait for on the embedded database, and answer at once.
    return operation.prepare || operation.wait || operation.complete || once
      ? runPrepared(under, operation, input, once)
      : runMatching(under, operation, input)
  }
  const work = (): Awaitable<Outcome> => andThen(currentCall(call, operation), run)
  if (call.origin.usage) call.origin.usage.isWrite = operation.kind === 'write'
  return audited(call, () => {
    if (!operation.isWaiting?.(input as never)) {
      return call.core.workSlots.run(call.actor.tenantId, call.plan.concurrentRequests, work)
    }
    call.beginWaiting()
    return work()
  })
}

/** Runs an operation inside the transaction of another, which came through the gate. */
export const runWithin = (
  call: OperationCall,
  operation: Operation,
  input: Record<string, unknown>,
  claim: string | undefined,
): Awaitable<Result> => runMatching(underClaim({ ...call, fence: undefined }, operation, claim), operation, input)
