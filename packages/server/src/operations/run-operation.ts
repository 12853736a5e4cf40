import { type Awaitable, andThen, isPromise } from '../base/awaitable.js'
import { AppError } from '../base/errors.js'
import { joinObjects } from '../base/json.js'
import { checkPreconditions, type Preconditions } from '../base/versions.js'
import type { Actor, Scope } from './actor.js'
import { requireScope } from './admission.js'
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

/** The properties of an operation that the gate uses. */
type Gated = Pick<Operation, 'kind' | 'isOpen' | 'scope'>

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
  const requiredScope = error instanceof AppError ? error.params.requiredScope : undefined
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
    if (actor !== call.actor) requireScope(actor, scope)
    return actor
  })

/** The call of a write with its actor as the key is now. */
export const currentCall = (call: OperationCall, { kind, isOpen, scope }: Gated): Awaitable<OperationCall> => {
  if (kind === 'read' || isOpen) return call
  return andThen(currentActor(call, scope), (actor) => (actor === call.actor ? call : { ...call, actor }))
}

/** The call of a read that names a claim: what it reads becomes the basis of the claim's task. */
export const readingUnder = (call: OperationCall, claim: string | undefined): OperationCall =>
  claim === undefined ? call : { ...call, basis: call.core.hooks.basisOf(call, claim) }

/**
 * Returns the call under the claim that it names. A write requires the claim to be live, and what a read returns is
 * recorded. Agents cannot renew claims in the background, so a write through MCP renews a claim that has expired.
 */
const fencedBy = (
  call: OperationCall,
  { kind, checksOwnClaim, allowsViewers }: Pick<Operation, 'kind' | 'checksOwnClaim' | 'allowsViewers'>,
  claim: string | undefined,
): OperationCall => {
  const isFenced = claim !== undefined && !checksOwnClaim
  if (kind === 'read') return isFenced ? readingUnder(call, claim) : call
  const renewsExpired = call.origin.via === 'mcp'
  const fence = isFenced ? call.core.hooks.fenceOf(claim, renewsExpired) : call.fence
  return { ...call, refusesViewers: !allowsViewers, fence }
}

/** Runs several operations in one transaction and under the claim of the call, so that all or none take effect. */
export const runTogether = <T>(call: OperationCall, run: (inside: OperationCall) => Promise<T>): Promise<T> =>
  changing(call, (inside) => run({ ...call, ...inside, plan: call.plan, fence: undefined }))

/** Runs an operation. If the caller sent If-Match, first compares it with the version of the record to change. */
const runMatching = (
  call: OperationCall,
  operation: Operation,
  input: Record<string, unknown>,
  prepared?: unknown,
): Awaitable<Result> => {
  const { ifMatch } = input as Preconditions
  if (!operation.versionOf || ifMatch === undefined) return operation.run(call, input, prepared)
  return runTogether(call, async (inside) => {
    checkPreconditions({ ifMatch }, await operation.versionOf!(inside, input))
    return operation.run(inside, input, prepared)
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

/** Runs all operations of a call in one work slot of its tenant. */
export const inSlot = <T>(call: OperationCall, run: (call: OperationCall) => Awaitable<T>): Awaitable<T> =>
  call.core.workSlots.run(call.actor.tenantId, call.plan.concurrentRequests, () => run({ ...call, hasSlot: true }))

/** Takes a work slot of the tenant unless the call waits, checks the key of a write again, and audits refusals. */
const enter = <T>(
  call: OperationCall,
  gated: Gated,
  isWaiting: boolean,
  run: (call: OperationCall) => Awaitable<T>,
): Awaitable<T> => {
  if (call.origin.usage && gated.kind === 'write') call.origin.usage.isWrite = true
  return audited(call, () => {
    const work = (): Awaitable<T> => andThen(currentCall(call, gated), run)
    if (call.hasSlot) return work()
    if (!isWaiting) return call.core.workSlots.run(call.actor.tenantId, call.plan.concurrentRequests, work)
    call.beginWaiting()
    return work()
  })
}

/**
 * The gate that every interface goes through after admission. Takes a work slot, checks the key and the claim, ensures
 * that a repeated request acts once, waits, and audits refusals.
 */
export const runOperation = (
  call: OperationCall,
  operation: Operation,
  input: Record<string, unknown>,
  { claim, once }: RunOptions = {},
): Awaitable<Outcome> => {
  const run = (call: OperationCall): Awaitable<Outcome> => {
    const fenced = fencedBy(call, operation, claim)
    // Most operations have nothing to wait for on the embedded database, and answer at once.
    return operation.prepare || operation.wait || operation.complete || once
      ? runPrepared(fenced, operation, input, once)
      : runMatching(fenced, operation, input)
  }
  return enter(call, operation, operation.isWaiting?.(input as never) ?? false, run)
}

/** Runs several writes in one transaction, through the gate and under the named claim. */
export const runSteps = <T>(
  call: OperationCall,
  scope: Scope,
  claim: string | undefined,
  run: (inside: OperationCall) => Promise<T>,
): Awaitable<T> =>
  enter(call, { kind: 'write', scope }, false, (call) => runTogether(fencedBy(call, { kind: 'write' }, claim), run))

/** Counts the operations of a call toward the limits, then checks their scopes. */
export const admitOperations = (
  call: OperationCall,
  operations: readonly Pick<Operation, 'scope' | 'limit'>[],
): Awaitable<void> => {
  const limits = operations.flatMap(({ limit }) => limit ?? [])
  return andThen(limits.length === 0 ? undefined : call.countOperations(limits), () =>
    audited(call, () => {
      for (const { scope } of operations) requireScope(call.actor, scope)
    }),
  )
}

/** Runs an operation inside the transaction of another, which came through the gate. */
export const runWithin = (
  call: OperationCall,
  operation: Operation,
  input: Record<string, unknown>,
  claim: string | undefined,
): Awaitable<Result> => runMatching(fencedBy({ ...call, fence: undefined }, operation, claim), operation, input)
