import postgres from 'postgres'
import { createOverdueWatch } from './overdue-watch.js'
import type { DatabaseServer, Primary } from './primary.js'

const statementTimeoutMs = 5_000
/** A server that has not even cancelled a statement by then is gone without having closed its connections. */
const lostAfterMs = statementTimeoutMs + 1_000

/** Poolers refuse settings of a session, which would outlive its transactions: there they are settings of the role. */
const sessionSettings = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: statementTimeoutMs,
}

export const openPool = ({ url, isPooled }: DatabaseServer, maxConnections: number): postgres.Sql =>
  postgres(url, {
    max: maxConnections,
    idle_timeout: 60,
    connect_timeout: 3,
    backoff: (tries) => Math.min(0.1 * 2 ** tries, 1),
    ...(isPooled && { prepare: false }),
    onnotice: () => {},
    // No parameter is an array; and when a connection is lost while it fetches them, no one catches the error.
    fetch_types: false,
    connection: {
      application_name: 'worklore',
      ...(!isPooled && sessionSettings),
    },
    types: {
      // Counts and times are far below 2^53, so a number serves.
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
    },
  }) as unknown as postgres.Sql

export interface PostgresPool {
  current(): postgres.Sql
  /** Says that a connection of this pool was lost. */
  giveUp(pool: postgres.Sql): void
  /** Gives the pool up if the work takes longer than the server was asked to let it. */
  inTime<P extends PromiseLike<unknown>>(work: P): P
  close(): Promise<void>
}

/**
 * A pool that is replaced once one of its connections is lost. In postgres.js 3.4 a connection that was lost while
 * something was being written to it can fail every later attempt to connect, or hang
 * (https://github.com/porsager/postgres/pull/1215); a new pool begins without such a past.
 */
export const createPostgresPool = (primary: Primary, maxConnections: number): PostgresPool => {
  let pool = openPool(primary.current(), maxConnections)
  const replaced = new Set<Promise<void>>()

  const replace = (graceSeconds: number): void => {
    const ending = pool.end({ timeout: graceSeconds }).finally(() => replaced.delete(ending))
    replaced.add(ending)
    pool = openPool(primary.current(), maxConnections)
  }
  const lose = (graceSeconds: number): void => {
    replace(graceSeconds)
    primary.lose()
  }
  const watch = createOverdueWatch(lostAfterMs, () => lose(0))
  primary.onMoved(() => replace(0))

  return {
    current: () => pool,
    // What runs on its other connections may end.
    giveUp: (lost) => {
      if (lost === pool) lose(statementTimeoutMs / 1_000)
    },
    inTime: (work) => {
      const watched = watch.begin()
      const end = (): void => watch.end(watched)
      work.then(end, end)
      return work
    },
    close: async () => {
      watch.close()
      await Promise.all([pool.end({ timeout: 5 }), ...replaced])
    },
  }
}
