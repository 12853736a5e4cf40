import type { Actor } from './actor.js'
import type { Clock } from './clock.js'
import type { Sql } from './db/port.js'

/** What a service needs to know of the request it serves, whichever door it came through. */
export interface Call {
  readonly db: Sql
  readonly clock: Clock
  readonly actor: Actor
}

/**
 * Runs `work` with its changes in one transaction; inside one already, it joins. The changes of a tenant are a group:
 * each of them ends with the tenant's row locked, to be numbered in the order of the commits.
 */
export const changing = <T>(call: Call, work: (call: Call) => Promise<T>): Promise<T> =>
  call.db.transaction((tx) => work({ db: tx, clock: call.clock, actor: call.actor }), call.actor.tenantId)
