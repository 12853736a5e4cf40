import type postgres from 'postgres'
import { unavailable } from '../errors.js'
import { postgresDialect } from './dialect.js'
import { createGatheredCommits, type InSavepoint } from './gathered-commits.js'
import type { Db, Sql, StatementObserver, Value } from './port.js'
import { isConnectionLost, isWorthRetrying, storageError } from './postgres-errors.js'
import { createPostgresNews } from './postgres-news.js'
import { createPostgresPool, openPool } from './postgres-pool.js'
import { runTransaction, type TransactionConnection } from './postgres-transaction.js'
import { createSlots, type Slots } from './slots.js'

/** The driver sends as many statements as this, one behind the other, over the connections that no transaction holds. */
const statementsAtOnce = 64
/** Some statement of those under way should have ended by then. */
const stillMs = 3_000
const pingTimeoutMs = 2_000
const transactionTries = 6

/** The port's `?` as PostgreSQL's `$1`, worked out once for each text. */
const numberedParameters = (): ((text: string) => string) => {
  const texts = new Map<string, string>()
  return (text) => {
    let numbered = texts.get(text)
    if (numbered === undefined) {
      let count = 0
      numbered = text.replaceAll('?', () => `$${++count}`)
      texts.set(text, numbered)
    }
    return numbered
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type Rows = postgres.RowList<postgres.Row[]>
type Execute = (statement: (connection: postgres.Sql | postgres.TransactionSql) => PromiseLike<Rows>) => Promise<Rows>

export const openPostgres = (url: string, maxConnections: number, observe: StatementObserver = () => {}): Db => {
  const numbered = numberedParameters()
  // One connection is left to single statements, so that those of the gate do not wait behind writes.
  const transactionSlots = createSlots(Math.max(1, maxConnections - 1), stillMs)
  const statementSlots = createSlots(statementsAtOnce, stillMs)
  const pool = createPostgresPool(url, maxConnections)
  // Listening takes a connection of its own.
  const listening = openPool(url, 1)
  const news = createPostgresNews({
    notify: (channel, message) => pool.current().notify(channel, message),
    listen: listening.listen,
  })

  const inSlot = async <T>(slots: Slots, work: () => Promise<T>): Promise<T> => {
    await slots.take()
    try {
      return await work()
    } finally {
      slots.giveBack()
    }
  }

  const onPool = async <T>(work: (current: postgres.Sql) => PromiseLike<T>): Promise<T> => {
    const current = pool.current()
    try {
      return await work(current)
    } catch (error) {
      if (isConnectionLost(error)) pool.giveUp(current)
      throw storageError(error)
    }
  }

  const statementsOn = (execute: Execute): Omit<Sql, 'transaction' | 'announce'> => {
    const query = async (text: string, params: readonly Value[]): Promise<Rows> => {
      const startedAt = performance.now()
      try {
        return await execute((connection) => connection.unsafe(numbered(text), params as Value[], { prepare: true }))
      } catch (error) {
        throw storageError(error)
      } finally {
        observe(text, performance.now() - startedAt)
      }
    }
    const run = async (text: string, params: readonly Value[] = []) => (await query(text, params)).count
    return {
      dialect: postgresDialect,
      get: async <R>(text: string, params: readonly Value[] = []) => (await query(text, params))[0] as R | undefined,
      all: async <R>(text: string, params: readonly Value[] = []) => (await query(text, params)) as unknown as R[],
      run,
      // A transaction has one connection, on which the later ones fail when one has failed.
      runAll: (statements) => Promise.all(statements.map(({ text, params }) => run(text, params))),
    }
  }

  const transactionOn = (execute: Execute, topics: Set<string>): Sql => {
    const tx: Sql = {
      ...statementsOn(execute),
      transaction: (inner) => inner(tx),
      announce: (topic) => topics.add(topic),
    }
    return tx
  }

  type Work<T> = (tx: Sql, inSavepoint: InSavepoint) => Promise<T>
  const once = async <T>(work: Work<T>): Promise<T> => {
    const topics = new Set<string>()
    const timed = (connection: TransactionConnection): Sql =>
      transactionOn((statement) => pool.inTime(() => connection.run(statement)), topics)
    const result = await onPool((current) =>
      runTransaction(
        current,
        (connection) => work(timed(connection), (inner) => connection.inSavepoint((nested) => inner(timed(nested)))),
        pool.inTime,
      ),
    )
    if (topics.size > 0) news.publish(topics)
    return result
  }

  const transaction = async <T>(work: Work<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await inSlot(transactionSlots, () => once(work))
      } catch (error) {
        if (tries === transactionTries || !isWorthRetrying(error)) throw error
        await pause(Math.random() * 10 * 2 ** tries)
      }
    }
  }

  const gathered = createGatheredCommits(
    (group, work) =>
      transaction(async (tx, inSavepoint) => {
        // Not awaited: what follows on the connection waits for it.
        const locked = Promise.resolve(tx.get('select pg_advisory_xact_lock(hashtextextended(?, 0))', [group]))
        locked.catch(() => {})
        const result = await work(tx, inSavepoint)
        await locked
        return result
      }),
    isWorthRetrying,
  )

  const patiently = <T>(work: (tx: Sql) => Promise<T>): Promise<T> =>
    onPool((current) =>
      runTransaction(
        current,
        async (connection) => {
          const tx = transactionOn(connection.run, new Set())
          await tx.run('set local statement_timeout = 0')
          return work(tx)
        },
        (phase) => phase(),
      ),
    )

  const { get, all, run } = statementsOn((statement) => pool.inTime(() => onPool(statement)))
  return {
    dialect: postgresDialect,
    get: (text, params) => inSlot(statementSlots, async () => get(text, params)),
    all: (text, params) => inSlot(statementSlots, async () => all(text, params)),
    run: (text, params) => inSlot(statementSlots, async () => run(text, params)),
    runAll: (statements) => transaction(async (tx) => tx.runAll(statements)),
    transaction: (work, group) => (group === undefined ? transaction(work) : gathered.add(group, work)),
    patiently,
    announce: (topic) => news.publish(new Set([topic])),
    listen: news.listen,
    ping: async () => {
      const late = pause(pingTimeoutMs).then(() => {
        throw unavailable('The store does not answer. Try again shortly.', 2)
      })
      await Promise.race([get('select 1 as answer'), late])
    },
    close: async () => {
      await news.close()
      await Promise.all([pool.close(), listening.end({ timeout: 5 })])
    },
  }
}
