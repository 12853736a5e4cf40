import type postgres from 'postgres'
import type { Awaitable } from '../../base/awaitable.js'
import { unavailable } from '../../base/errors.js'
import { createLruCache } from '../../base/lru-cache.js'
import type { FairSlots } from '../../scheduling/fair-slots.js'
import { serviceGroup, unscheduled } from '../../scheduling/scheduler.js'
import { citusDialect, postgresDialect } from '../dialect.js'
import { createKnownDueTimes } from '../known-due-times.js'
import type { OpenOptions } from '../open.js'
import { replaceParameters } from '../parameters.js'
import { type Access, type Db, everyGroup, maxPreparedStatements, type Sql, type Value } from '../port.js'
import { createPostgresCommitNotifier } from './commit-notifier.js'
import { isConnectionLost, isWorthRetrying, storageError } from './errors.js'
import { createGroupCommit, type InSavepoint } from './group-commit.js'
import { createPermits } from './permits.js'
import { createPostgresPool, openPool, type PostgresPool } from './pool.js'
import { followPrimary, type Primary } from './primary.js'
import { runTransaction, type TransactionConnection } from './transaction.js'

/** The driver sends as many statements as this, one behind the other, over the connections that no transaction holds. */
const statementsAtOnce = 64
const pingTimeoutMs = 2_000
/** One connection is for lookups, which share its packets. It answers far more of them than one node asks for. */
const lookupConnections = 1
const lookupsAtOnce = 32
/** With fewer connections than this, lookups use those of the other statements. */
const minConnectionsForLookups = 4
/** How many statements with large results may run at once. The driver decodes each complete result in one go. */
const largeAtOnce = 2
const largeLength = 262_144
const transactionTries = 6
/** A migration locks whole tables, one after the other, while nodes that go on serving lock them in another order. */
const migrationTries = 50
/** Tenants whose statements are kept ready to be run; it bounds memory alone. */
const maxTenants = 1_000

interface Prepared {
  text: string
  /** Whether each connection keeps it; neither the driver nor the server ever forgets one before the connection ends. */
  isKept: boolean
}

/** The first texts up to the bound are kept prepared; those beyond it are planned anew each time. */
const preparedStatements = (): ((text: string) => Prepared) => {
  const kept = new Map<string, Prepared>()
  return (text) => {
    const known = kept.get(text)
    if (known) return known
    const prepared = { text: replaceParameters(text, (at) => `$${at + 1}`), isKept: kept.size < maxPreparedStatements }
    if (prepared.isKept) kept.set(text, prepared)
    return prepared
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type Rows = postgres.RowList<postgres.Row[]>

const isLarge = (rows: Rows): boolean => {
  let length = 0
  for (const row of rows) {
    for (const value of Object.values(row)) if (typeof value === 'string') length += value.length
    if (length >= largeLength) return true
  }
  return false
}

type Query = (text: string, params: readonly Value[], access: Access) => Promise<Rows>

export const openPostgres = async (
  databaseUrl: string,
  maxConnections: number,
  listenUrl?: string,
  { observe = () => {}, scheduler = unscheduled }: OpenOptions = {},
): Promise<Db> => {
  const followed = await followPrimary(databaseUrl)
  const counts = { connectionsLost: 0, primaryMoves: 0, listens: 0 }
  const primary: Primary = {
    ...followed,
    lose: () => {
      counts.connectionsLost++
      followed.lose()
    },
  }
  primary.onMoved(() => {
    counts.primaryMoves++
  })
  const notifying = listenUrl === undefined ? primary : await followPrimary(listenUrl)
  const dialect = primary.current().isCitus ? citusDialect : postgresDialect
  const prepare = preparedStatements()
  const texts = createLruCache<string>(maxPreparedStatements)
  const dueTimes = createKnownDueTimes()
  const hasLookupPool = maxConnections >= minConnectionsForLookups
  const poolSize = hasLookupPool ? maxConnections - lookupConnections : maxConnections
  const { isPooled } = primary.current()
  // One connection is left to single statements, so that they do not wait behind writes. Through a pooler it takes one of them
  // at a time, so they get half of the connections: what is more than these would wait in the driver, as if it were under way.
  const forStatements = isPooled ? Math.floor(poolSize / 2) : 1
  const transactionPermits = createPermits(Math.max(1, poolSize - forStatements))
  const statementPermits = createPermits(isPooled ? Math.max(1, forStatements) : statementsAtOnce)
  const pool = createPostgresPool(primary, poolSize)
  const lookupPool = hasLookupPool ? createPostgresPool(primary, lookupConnections) : pool
  const lookupPermits = hasLookupPool ? createPermits(isPooled ? lookupConnections : lookupsAtOnce) : statementPermits
  const largePermits = createPermits(largeAtOnce)
  // Listening takes a connection of its own.
  let listening = openPool(notifying.current(), 1)
  // A notification reaches those who listen to the same server.
  const notifyPool = notifying === primary ? pool : createPostgresPool(notifying, 1)
  const notifier = createPostgresCommitNotifier({
    notify: (channel, message) =>
      notifyPool.inTime(alone(notifying, notifyPool.current(), 'select pg_notify(?, ?)', [channel, message])),
    listen: (channel, receive, onListening) =>
      listening.listen(channel, receive, () => {
        counts.listens++
        onListening?.()
      }),
  })
  notifying.onMoved(() => {
    void listening.end({ timeout: 0 })
    listening = openPool(notifying.current(), 1)
    notifier.listenAgain()
  })

  const on = async <T>(chosen: PostgresPool, work: (current: postgres.Sql) => PromiseLike<T>): Promise<T> => {
    const current = chosen.current()
    try {
      return await work(current)
    } catch (error) {
      if (isConnectionLost(error)) chosen.giveUp(current)
      throw storageError(error)
    }
  }

  const sent = (connection: postgres.Sql | postgres.TransactionSql, text: string, params: readonly Value[]) => {
    const { text: numbered, isKept } = prepare(text)
    return connection.unsafe(numbered, params as Value[], { prepare: isKept })
  }

  /**
   * A statement outside of a transaction. A pooler passes the connection on when it has ended: of one that was sent close
   * behind it, the rest would go to another server process. The driver sends none behind one with this option.
   */
  const alone = (server: Primary, connection: postgres.Sql, text: string, params: readonly Value[]) => {
    if (!server.current().isPooled) return sent(connection, text, params)
    const options: postgres.UnsafeQueryOptions & { onexecute(): false } = { prepare: false, onexecute: () => false }
    return connection.unsafe(prepare(text).text, params as Value[], options)
  }

  const statementsOn = (
    group: string,
    execute: Query,
  ): Omit<Sql, 'transaction' | 'announce' | 'statementText' | 'dueTimes'> => {
    const query: Query = (text, params, access) => scheduler.resume(group, execute(text, params, access))
    const run = async (text: string, params: readonly Value[] = []) => (await query(text, params, 'write')).count
    const get = async <R>(text: string, params: readonly Value[] = []) =>
      (await query(text, params, 'read'))[0] as R | undefined
    const rowsFrom =
      (access: Access) =>
      async <R>(text: string, params: readonly Value[] = []) =>
        (await query(text, params, access)) as unknown as R[]
    return {
      dialect,
      get,
      lookup: get,
      all: rowsFrom('read'),
      run,
      runReturning: rowsFrom('write'),
      // A transaction has one connection, on which the later ones fail when one has failed.
      runAll: (statements) => Promise.all(statements.map(({ text, params }) => run(text, params))),
      awaitBeforeCommit: (write) => write,
    }
  }

  const transactionOn = (
    connection: TransactionConnection,
    inTime: PostgresPool['inTime'],
    topics: Set<string>,
    group: string,
  ): Sql => {
    const query: Query = async (text, params, access) => {
      const startedAt = performance.now()
      try {
        // The driver's own promise is watched: the one of a connection that was lost never settles.
        return await connection.run((current) => inTime(sent(current, text, params)))
      } catch (error) {
        throw storageError(error)
      } finally {
        observe(text, performance.now() - startedAt, group, access)
      }
    }
    const tx: Sql = {
      ...statementsOn(group, query),
      statementText: texts.get,
      dueTimes,
      transaction: (inner) => inner(tx),
      announce: (topic) => topics.add(topic),
    }
    return tx
  }

  type Work<T> = (tx: Sql, inSavepoint: InSavepoint) => Promise<T>
  const once = async <T>(work: Work<T>, group: string): Promise<T> => {
    const topics = new Set<string>()
    const timed = (connection: TransactionConnection): Sql => transactionOn(connection, pool.inTime, topics, group)
    const result = await on(pool, (current) =>
      runTransaction(
        current,
        (connection) => work(timed(connection), (inner) => connection.inSavepoint((nested) => inner(timed(nested)))),
        pool.inTime,
      ),
    )
    if (topics.size > 0) notifier.publish(topics)
    return result
  }

  const inTries = async <T>(maxTries: number, attempt: () => Awaitable<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt()
      } catch (error) {
        if (tries === maxTries || !isWorthRetrying(error)) throw error
        await pause(Math.random() * 10 * 2 ** Math.min(tries, 7))
      }
    }
  }

  const transaction = <T>(work: Work<T>, group = serviceGroup): Promise<T> =>
    scheduler.resume(
      group,
      inTries(transactionTries, () => transactionPermits.run(group, 1, () => once(work, group))),
    )

  const groupCommit = createGroupCommit(
    (group, work) =>
      transaction(async (tx, inSavepoint) => {
        // Also counts the commit. Not awaited: what follows on the connection waits for it.
        const locked = Promise.resolve(
          tx.run('update tenants set commit_count = commit_count + 1 where tenant_id = ?', [group]),
        )
        locked.catch(() => {})
        const result = await work(tx, inSavepoint)
        await locked
        return result
      }, group),
    isWorthRetrying,
  )

  const migrationTransaction = <T>(work: (tx: Sql) => Promise<T>): Promise<T> =>
    inTries(migrationTries, () =>
      on(pool, (current) =>
        runTransaction(
          current,
          async (connection) => {
            const tx = transactionOn(connection, (work) => work, new Set(), everyGroup)
            await tx.run('set local statement_timeout = 0')
            return work(tx)
          },
          (phase) => phase,
        ),
      ),
    )

  /** Runs statements outside of transactions, without waiting for a permit. */
  const queryOn =
    (chosen: PostgresPool): Query =>
    async (text, params, access) => {
      const startedAt = performance.now()
      const current = chosen.current()
      try {
        return await chosen.inTime(alone(primary, current, text, params))
      } catch (error) {
        if (isConnectionLost(error)) chosen.giveUp(current)
        throw storageError(error)
      } finally {
        observe(text, performance.now() - startedAt, undefined, access)
      }
    }
  const statementsOf = (chosen: PostgresPool, permits: FairSlots, group: string) => {
    const query = queryOn(chosen)
    /** SQL texts that have returned a large result. */
    const largeTexts = new Set<string>()
    const execute: Query = async (text, params, access) => {
      const rows = await permits.run(group, 1, () => query(text, params, access))
      if (isLarge(rows)) largeTexts.add(text)
      return rows
    }
    return statementsOn(group, async (...statement) =>
      largeTexts.has(statement[0]) ? largePermits.run(group, 1, () => execute(...statement)) : execute(...statement),
    )
  }
  const statementsOfGroup = (group: string): Sql => ({
    ...statementsOf(pool, statementPermits, group),
    lookup: statementsOf(lookupPool, lookupPermits, group).lookup,
    statementText: texts.get,
    dueTimes,
    runAll: (statements) => transaction(async (tx) => tx.runAll(statements)),
    transaction: (work, group) =>
      group === undefined ? transaction(work) : scheduler.resume(group, groupCommit.add(group, work)),
    announce: (topic) => notifier.publish(new Set([topic])),
  })
  const tenants = createLruCache<Sql>(maxTenants)
  const ofTenant = (tenantId: string): Sql => tenants.get(tenantId, () => statementsOfGroup(tenantId))
  return {
    ...statementsOfGroup(serviceGroup),
    ofTenant,
    migrationTransaction,
    listen: notifier.listen,
    hearsOthers: !notifying.current().isPooled,
    listenSync: notifier.listenSync,
    foreignCommits: () => 0,
    commitsOf: async (group) => {
      const text = 'select commit_count from tenants where tenant_id = ?'
      const row = await ofTenant(group).lookup<{ commit_count: number }>(text, [group])
      return String(row?.commit_count)
    },
    ping: async () => {
      const late = pause(pingTimeoutMs).then(() => {
        throw unavailable('The database does not respond. Try again shortly.', 2)
      })
      const current = pool.current()
      const asked = statementsOn(serviceGroup, queryOn(pool)).get<{ is_replica: boolean; is_read_only: boolean }>(
        "select pg_is_in_recovery() as is_replica, current_setting('transaction_read_only')::bool as is_read_only",
      )
      const answer = await Promise.race([asked, late])
      if (!answer?.is_read_only) return
      if (!answer.is_replica) throw unavailable('The database is read-only. Allow writes there, then try again.', 2)
      pool.giveUp(current)
      throw unavailable('The database is a replica, which takes no writes. Try again shortly.', 2)
    },
    figures: () => ({
      work: {
        statements: statementPermits.load(),
        lookups: lookupPermits.load(),
        large: largePermits.load(),
        transactions: transactionPermits.load(),
      },
      ...counts,
    }),
    close: async () => {
      primary.close()
      notifying.close()
      await notifier.close()
      await Promise.all([
        pool.close(),
        hasLookupPool && lookupPool.close(),
        notifyPool !== pool && notifyPool.close(),
        listening.end({ timeout: 5 }),
      ])
    },
  }
}
