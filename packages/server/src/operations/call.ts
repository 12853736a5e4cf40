import type { Awaitable } from '../base/awaitable.js'
import type { Clock } from '../base/clock.js'
import type { Sql } from '../db/port.js'
import type { Plan } from '../limits/plans.js'
import type { RequestUsage } from '../limits/usage/usage.js'
import { createWorkBudget, type WorkBudget } from '../scheduling/work-budget.js'
import { type Actor, operatorActor, serviceActor } from './actor.js'

export const interfaces = ['http', 'mcp', 'console', 'cli', 'service'] as const
/** Where a call came in; `service` is the service's own work. */
export type Interface = (typeof interfaces)[number]

/** Which request made a call, through which interface, to run which operation. */
export interface Origin {
  /** Null for the service's own work and the operator's commands. */
  readonly requestId: string | null
  readonly via: Interface
  /** Where the request came from, as far as the interface knows; null as above. */
  readonly address: string | null
  readonly operation: string
  /** The trace that the request is part of, where there is one. */
  readonly traceparent?: string | undefined
  /** What came of the request, for those who count; missing as above. */
  readonly usage?: RequestUsage
}

/** A version of an item that was read. */
export interface ReadVersion {
  id: string
  version: number
}

/** Records what is read as the basis of a claim's task, if the claim is live and the caller's. */
export interface BasisRecorder {
  record(read: ReadVersion): Awaitable<void>
}

/** The renewal of a claim by a write that names it. */
interface Renewal {
  readonly taskId: string
  readonly atMs: number
  /** Stores the renewal, unless the transaction has ended the claim. */
  write(call: Call): Awaitable<unknown>
}

/** The claim that a write named, after its check has passed. */
export interface PassedFence {
  readonly token: string
  readonly renewal?: Renewal | undefined
}

/** What a service needs to know of the request it serves, whichever interface it came through. */
export interface Call {
  readonly db: Sql
  readonly clock: Clock
  readonly actor: Actor
  readonly origin: Origin
  /** The token of the claim that the caller works under, once it was found to be live. */
  readonly claim?: string | undefined
  /** Checks the claim that a request names, at the start of the transaction of its changes. */
  readonly fence?: ((call: Call) => Promise<PassedFence>) | undefined
  /** The renewal of `claim` that the transaction still has to write. */
  readonly renewal?: Renewal | undefined
  /** Whether the call makes changes that a viewer of a project is not allowed to make. */
  readonly refusesViewers?: boolean | undefined
  /** Of a read that names a claim. */
  readonly basis?: BasisRecorder | undefined
  /** The id of the event that the changes of the call take back. */
  readonly undoes?: string | undefined
  /** Whose quotas bind the call; none bind the operator and the service's own work. */
  readonly plan?: Plan | undefined
  /** Of the transaction that the call is in. */
  readonly work?: WorkBudget | undefined
}

/**
 * Runs `work` with its changes in one transaction; inside one already, it joins. The changes of a tenant are a group:
 * each of them ends with the tenant's row locked, to be numbered in the order of the commits.
 */
export const changing = <T>(call: Call, work: (call: Call) => Promise<T>): Promise<T> =>
  call.db.transaction(async (tx) => {
    const { clock, actor, origin, plan, claim, undoes, fence, refusesViewers } = call
    const budget = call.work ?? createWorkBudget(plan !== undefined)
    const { renewal } = call
    const inside: Call = { db: tx, clock, actor, origin, plan, claim, renewal, undoes, refusesViewers, work: budget }
    if (!fence) return work(inside)
    const passed = await fence(inside)
    const result = await work({ ...inside, claim: passed.token, renewal: passed.renewal })
    // Renew the claim last: rolling back a refused write would rerun its group commit, so it must leave nothing to
    // undo.
    await passed.renewal?.write(inside)
    return result
  }, call.actor.tenantId)

/** A change that no request asked for. */
export const ownOrigin = (operation: string): Origin => ({
  requestId: null,
  via: 'service',
  address: null,
  operation,
})

/** Returns the call of a change that the service itself makes while it serves a request. */
export const asService = ({ db, clock, actor, work }: Call, operation: string): Call => ({
  ...{ db, clock, work },
  actor: serviceActor(actor.tenantId),
  origin: ownOrigin(operation),
})

export const operatorCall = (db: Sql, clock: Clock, tenantId: string): Call => ({
  db,
  clock,
  actor: operatorActor(tenantId),
  origin: { requestId: null, via: 'cli', address: null, operation: '' },
})
