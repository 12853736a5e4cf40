import postgres from 'postgres'
import { unavailable } from '../errors.js'
import { postgresDialect } from './dialect.js'
import { createOverdueWatch } from './overdue-watch.js'
import type { Db, Sql, StatementObserver, Value } from './port.js'
import { isWorthRetrying, storageError } from './postgres-errors.js'
import { createPostgresNews } from './postgres-news.js'
import { createSlots } from './slots.js'

const statementTimeoutMs = 5_000
const slotWaitMs = 5_000
const pingTimeoutMs = 2_000
/** A server that has not even cancelled a statement by then is gone without having closed its connections. */
const lostAfterMs = statementTimeoutMs + 1_000
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

const openPool = (url: string, maxConnections: number): postgres.Sql =>
  postgres(url, {
    max: maxConnections,
    idle_timeout: 60,
    connect_timeout: 3,
    backoff: (tries) => Math.min(0.1 * 2 ** tries, 1),
    onnotice: () => {},
    connection: {
      application_name: 'worklore',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
    },
    types: {
      // Counts and times are far below 2^53, so a number serves.
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
    },
  }) as unknown as postgres.Sql

export const openPostgres = (url: string, maxConnections: number, observe: StatementObserver = () => {}): Db => {
  const numbered = numberedParameters()
  const slots = createSlots(maxConnections, slotWaitMs)
  let pool = openPool(url, maxConnections)
  const watch = createOverdueWatch(lostAfterMs, () => {
    // Fails what waits on the lost connections, and lets what comes next connect anew.
    void pool.end({ timeout: 0 })
    pool = openPool(url, maxConnections)
  })

  // Its own connections: news must not wait in line, nor end with a pool that is given up.
  const newsPool = openPool(url, 1)
  const news = createPostgresNews(newsPool)

  const unwatched = async <T>(work: () => PromiseLike<T>): Promise<T> => work()
  const inTime = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    const watched = watch.begin()
    try {
      return await work()
    } finally {
      watch.end(watched)
    }
  }

  const inSlot = async <T>(work: () => Promise<T>): Promise<T> => {
    await slots.take()
    try {
      return await work()
    } finally {
      slots.giveBack()
    }
  }

  type Connection = postgres.Sql | postgres.TransactionSql
  const statementsOn = (
    connection: () => Connection,
    timed: typeof unwatched = inTime,
  ): Omit<Sql, 'transaction' | 'announce'> => {
    const query = async (text: string, params: readonly Value[]) => {
      const startedAt = performance.now()
      try {
        return await timed(() => connection().unsafe(numbered(text), params as Value[], { prepare: true }))
      } catch (error) {
        throw storageError(error)
      } finally {
        observe(text, performance.now() - startedAt)
      }
    }
    return {
      dialect: postgresDialect,
      get: async <R>(text: string, params: readonly Value[] = []) => (await query(text, params))[0] as R | undefined,
      all: async <R>(text: string, params: readonly Value[] = []) => (await query(text, params)) as unknown as R[],
      run: async (text: string, params: readonly Value[] = []) => (await query(text, params)).count,
    }
  }

  const transactionOn = (connection: postgres.TransactionSql, topics: Set<string>, timed = inTime): Sql => {
    const tx: Sql = {
      ...statementsOn(() => connection, timed),
      transaction: (inner) => inner(tx),
      announce: (topic) => topics.add(topic),
    }
    return tx
  }

  const once = async <T>(work: (tx: Sql) => Promise<T>): Promise<T> => {
    const topics = new Set<string>()
    // Watched while it begins and while it ends; between, its statements are.
    let watched = watch.begin()
    try {
      const result = await pool.begin(async (connection) => {
        watch.end(watched)
        try {
          return await work(transactionOn(connection, topics))
        } finally {
          watched = watch.begin()
        }
      })
      if (topics.size > 0) news.publish(topics)
      return result as T
    } finally {
      watch.end(watched)
    }
  }

  const transaction = async <T>(work: (tx: Sql) => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await inSlot(() => once(work))
      } catch (error) {
        if (tries === transactionTries || !isWorthRetrying(error)) throw storageError(error)
        await pause(Math.random() * 10 * 2 ** tries)
      }
    }
  }

  const patiently = async <T>(work: (tx: Sql) => Promise<T>): Promise<T> => {
    try {
      const result = await pool.begin(async (connection) => {
        const tx = transactionOn(connection, new Set(), unwatched)
        await tx.run('set local statement_timeout = 0')
        return work(tx)
      })
      return result as T
    } catch (error) {
      throw storageError(error)
    }
  }

  const onPool = statementsOn(() => pool)
  return {
    dialect: postgresDialect,
    get: (text, params) => inSlot(async () => onPool.get(text, params)),
    all: (text, params) => inSlot(async () => onPool.all(text, params)),
    run: (text, params) => inSlot(async () => onPool.run(text, params)),
    transaction,
    patiently,
    announce: (topic) => news.publish(new Set([topic])),
    listen: news.listen,
    ping: async () => {
      const answered = onPool.get('select 1 as answer')
      const late = pause(pingTimeoutMs).then(() => {
        throw unavailable('The store does not answer. Try again shortly.', 2)
      })
      await Promise.race([answered, late])
    },
    close: async () => {
      watch.close()
      await news.close()
      await Promise.all([pool.end({ timeout: 5 }), newsPool.end({ timeout: 5 })])
    },
  }
}
