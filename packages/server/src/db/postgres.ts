import postgres from 'postgres'
import { postgresDialect } from './dialect.js'
import type { Db, Sql, StatementObserver, Value } from './port.js'
import { isWorthRetrying, storageError } from './postgres-errors.js'

const statementTimeoutMs = 10_000
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

export const openPostgres = (url: string, maxConnections: number, observe: StatementObserver = () => {}): Db => {
  const numbered = numberedParameters()
  const pool = postgres(url, {
    max: maxConnections,
    idle_timeout: 60,
    connect_timeout: 5,
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
  })

  const statementsOn = (connection: postgres.Sql | postgres.TransactionSql): Omit<Sql, 'transaction'> => {
    const query = async (text: string, params: readonly Value[]) => {
      const startedAt = performance.now()
      try {
        return await connection.unsafe(numbered(text), params as Value[], { prepare: true })
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

  const once = async <T>(work: (tx: Sql) => Promise<T>): Promise<T> => {
    const result = await pool.begin((connection) => {
      const tx: Sql = { ...statementsOn(connection), transaction: (inner) => inner(tx) }
      return work(tx)
    })
    return result as T
  }

  const transaction = async <T>(work: (tx: Sql) => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await once(work)
      } catch (error) {
        if (tries === transactionTries || !isWorthRetrying(error)) throw storageError(error)
        await pause(Math.random() * 10 * 2 ** tries)
      }
    }
  }

  return {
    ...statementsOn(pool),
    runAll: (statements) => transaction(async (tx) => tx.runAll(statements)),
    transaction,
    ping: async () => {
      await pool`select 1`.catch((error) => {
        throw storageError(error)
      })
    },
    close: () => pool.end({ timeout: 5 }),
  }
}
