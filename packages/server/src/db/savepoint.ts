import type { Sql } from './port.js'

/** Does work inside a transaction and takes it back; answers what it came to. */
export const rolledBack = async <T>(tx: Sql, work: () => Promise<T>): Promise<T> => {
  await tx.run('savepoint preview')
  try {
    return await work()
  } finally {
    await tx.run('rollback to savepoint preview')
    await tx.run('release savepoint preview')
  }
}

/** Does work inside a transaction; if it throws, nothing of it was done, and the transaction may go on. */
export const allOrNothing = async <T>(tx: Sql, work: () => Promise<T>): Promise<T> => {
  await tx.run('savepoint part')
  try {
    const result = await work()
    await tx.run('release savepoint part')
    return result
  } catch (error) {
    await tx.run('rollback to savepoint part')
    await tx.run('release savepoint part')
    throw error
  }
}
