import type { DatabaseSync } from '@photostructure/sqlite'
import type { Sql } from './port.js'
import { isFatalForTransaction, storageError } from './sqlite-errors.js'

interface Job {
  work: () => Promise<unknown>
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

type Outcome = { value: unknown } | { error: unknown }

/** Enough to share an fsync among all that arrive together, few enough that no one waits long for the commit. */
const jobsPerCommit = 256

/**
 * Applies jobs that arrive together one by one inside one transaction, each in its own savepoint, and answers them
 * after the commit. A job that fails undoes only itself; a failed commit fails them all.
 */
export const createGroupCommit = (
  connection: InstanceType<typeof DatabaseSync>,
  tx: Pick<Sql, 'run'>,
  beforeCommit: () => void,
) => {
  let queue: Job[] = []
  let isRunning = false
  let onDrained: (() => void)[] = []

  const applyInSavepoint = async (job: Job): Promise<Outcome> => {
    tx.run('savepoint job')
    try {
      const value = await job.work()
      tx.run('release job')
      return { value }
    } catch (error) {
      if (isFatalForTransaction(error) || !connection.isTransaction) throw error
      tx.run('rollback to job')
      tx.run('release job')
      return { error }
    }
  }

  const applyBatch = async (batch: Job[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = []
    try {
      tx.run('begin immediate')
      for (const job of batch) outcomes.push(await applyInSavepoint(job))
      beforeCommit()
      tx.run('commit')
      return outcomes
    } catch (error) {
      if (connection.isTransaction) tx.run('rollback')
      const failure = storageError(error)
      return batch.map((_, at) => {
        const outcome = outcomes[at]
        return outcome && 'error' in outcome ? outcome : { error: failure }
      })
    }
  }

  const runBatches = async (): Promise<void> => {
    const batch = queue.slice(0, jobsPerCommit)
    queue = queue.slice(jobsPerCommit)
    const outcomes = await applyBatch(batch)
    for (const [at, job] of batch.entries()) {
      const outcome = outcomes[at]!
      if ('error' in outcome) job.reject(outcome.error)
      else job.resolve(outcome.value as never)
    }
    if (queue.length > 0) return void setImmediate(runBatches)
    isRunning = false
    for (const resolve of onDrained) resolve()
    onDrained = []
  }

  return {
    add: <T>(work: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        queue.push({ work, resolve, reject })
        if (isRunning) return
        isRunning = true
        setImmediate(runBatches)
      }),
    drained: (): Promise<void> => (isRunning ? new Promise((resolve) => onDrained.push(resolve)) : Promise.resolve()),
  }
}
