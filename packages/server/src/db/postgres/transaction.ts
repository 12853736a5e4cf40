import type postgres from 'postgres'
import { isConnectionLost } from './errors.js'

/** Runs the statements of one transaction, for as long as its connection lives. */
export interface TransactionConnection {
  run<T>(statement: (connection: postgres.TransactionSql) => PromiseLike<T>): Promise<T>
  /** Undoes what `work` did if it fails, and lets the transaction go on. */
  inSavepoint<T>(work: (connection: TransactionConnection) => Promise<T>): Promise<T>
}

/**
 * Begins a transaction, runs the work and commits; `inTime` watches over the begin and the commit. When its connection
 * is lost, nothing more of the work reaches the driver: postgres.js 3.4 would send the rollback over the closed socket,
 * which ends the process, or the rest of the work over the connection's next life, inside the transaction of another
 * (https://github.com/porsager/postgres/issues/1208, https://github.com/porsager/postgres/pull/1215).
 */
export const runTransaction = async <T>(
  pool: postgres.Sql,
  work: (connection: TransactionConnection) => Promise<T>,
  inTime: <P extends PromiseLike<unknown>>(phase: P) => P,
): Promise<T> => {
  const never = new Promise<never>(() => {})
  let isLost = false
  let lose!: (error: unknown) => void
  const lost = new Promise<never>((_, reject) => {
    lose = (error) => {
      isLost = true
      reject(error)
    }
  })

  /** The outcome of the work, for the driver to act on; none where it could only act on a lost connection. */
  const settled = async <P>(part: Promise<P>): Promise<P> => {
    const [outcome] = await Promise.allSettled([part])
    if (isLost) return never
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }

  const statementsOn = (connection: postgres.TransactionSql): TransactionConnection => ({
    run: async (statement) => {
      if (isLost) return never
      try {
        return await statement(connection)
      } catch (error) {
        if (!isConnectionLost(error)) throw error
        lose(error)
        return never
      }
    },
    inSavepoint: async <P>(inner: (connection: TransactionConnection) => Promise<P>) =>
      (await connection.savepoint((nested) => settled(inner(statementsOn(nested))))) as P,
  })

  let begin!: () => void
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const whole = pool.begin(async (connection) => {
    begin()
    try {
      return await settled(work(statementsOn(connection)))
    } finally {
      void inTime(ended)
    }
  })
  const ended = whole.then(
    () => {},
    () => {
      isLost = true
    },
  )
  void inTime(Promise.race([hasBegun, ended]))
  return (await Promise.race([whole, lost])) as T
}
