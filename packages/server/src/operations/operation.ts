import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Awaitable } from '../base/awaitable.js'
import type { ErrorCode } from '../base/error-reasons.js'
import { type AppError, type ErrorDetail, type ErrorParams, invalid } from '../base/errors.js'
import type { Json } from '../base/json.js'
import { IfMatch } from '../base/versions.js'
import type { EndpointLimit } from '../limits/limiter.js'
import type { Plan } from '../limits/plans.js'
import type { Actor, Scope } from './actor.js'
import type { Call } from './call.js'
import type { Core } from './core.js'
import type { Result } from './result.js'
import type { Wait } from './waiting.js'

/** What an operation may need besides the store. */
export interface OperationCall extends Call {
  readonly core: Core
  readonly plan: Plan
  /** Who makes the call now: throws once the key has expired or was revoked. For calls that wait. */
  actorNow(): Awaitable<Actor>
  /** Counts operations in the limits, all of them or none: for a call that is made of several. */
  countOperations(limits: readonly (EndpointLimit | undefined)[]): Awaitable<void>
  /** What the tenant had committed when the call began, if that is known. */
  readonly commits?: string | undefined
  /** Waits until the tenant's clients have read enough earlier responses to make room for one of about this size. */
  reserveResponse?(bytes: number): Promise<void>
  /** Calls `listener` when nobody waits for the result any longer. */
  onAbandoned(listener: () => void): void
  /** Whether the call runs in a work slot that it shares with other operations. */
  readonly hasSlot?: boolean | undefined
  /** Stops counting the request as in progress, because it waits for an event. */
  beginWaiting(): void
}

export interface Operation<Input extends TObject = TObject, Output extends TSchema = TSchema, Prepared = unknown> {
  /** Unique; also the `operationId` of the OpenAPI document. */
  readonly name: string
  readonly summary: string
  /** The heading it is documented under. */
  readonly subject: string
  readonly kind: 'read' | 'write'
  /** What a key must hold; without it any key will do. */
  readonly scope?: Scope
  /** Whether the answer to a read changes only when its tenant commits, not with time; but for a time that its result tells. */
  changesOnlyOnCommit?(input: Static<Input>): boolean
  /** Its answer also changes with the vectors of its tenant, which are made in the background. */
  readonly dependsOnVectors?: boolean
  /** It needs no key: a caller without one is counted by its address. */
  readonly isOpen?: boolean
  /** The window it counts in besides the plan's. */
  readonly limit?: EndpointLimit
  /** It is made of others, which it counts in the limits in its own place. */
  readonly isComposite?: boolean
  /** It can be one of several writes that are made as one. */
  readonly isBatchable?: boolean
  /** It changes what a viewer of a project may change there, too. */
  readonly allowsViewers?: boolean
  /** Whether a call is to wait for something to happen: it costs nothing meanwhile and is not counted as work. */
  isWaiting?(input: Static<Input>): boolean
  readonly input: Input
  /** The members of the whole answer, `data` among them. */
  readonly output: Output
  /** Errors besides those that every operation can answer. */
  readonly errors?: readonly ErrorCode[]
  /** What the error of an ill-formed input says besides its details. */
  paramsOf?(details: readonly ErrorDetail[]): ErrorParams
  /** What waits for others than the store, such as a name server: done before any transaction is opened. */
  prepare?(call: OperationCall, input: Static<Input>): Awaitable<Prepared>
  /** How to wait where the result is empty; undefined where this call is not to wait. */
  wait?(call: OperationCall, input: Static<Input>): Promise<Wait | undefined>
  /** What an answer says beside an empty result: read once, after the wait and outside of its transaction. */
  explainEmpty?(call: OperationCall, input: Static<Input>): Promise<NonNullable<Result['more']>>
  /**
   * What an answer says beside its data: read after the commit, also for a repeated request, and never kept. Undefined for
   * nothing.
   */
  complete?(call: OperationCall, input: Static<Input>, data: Json<unknown>): Promise<Result['more']> | undefined
  /**
   * Returns the current version of the record that the operation changes, or null if it does not change exactly one.
   * The gate compares the version with If-Match in the transaction of the change.
   */
  versionOf?(call: OperationCall, input: Static<Input>): Awaitable<number | null>
  /** It checks the claim of its input by itself, since it may be over. */
  readonly checksOwnClaim?: boolean
  /** `prepared`: what `prepare` answered; undefined where the call is one of several that are made as one. */
  run(call: OperationCall, input: Static<Input>, prepared?: Prepared): Awaitable<Result>
}

export const operation = <Input extends TObject, Output extends TSchema, Prepared>(
  declared: Operation<Input, Output, Prepared>,
): Operation<Input, Output, Prepared> =>
  declared.versionOf
    ? {
        ...declared,
        // The added property is optional, and only the gate reads it.
        input: Type.Object({ ...declared.input.properties, ...IfMatch }) as unknown as Input,
        errors: [...new Set([...(declared.errors ?? []), 'PRECONDITION_FAILED' as const])],
      }
    : declared

/** The error of an input whose form is wrong, with what its operation says besides. */
export const illFormed = ({ paramsOf }: Pick<Operation, 'paramsOf'>, details: readonly ErrorDetail[]): AppError =>
  invalid(...details).with(paramsOf?.(details) ?? {})
