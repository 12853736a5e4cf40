import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseSync } from '@photostructure/sqlite'
import { unavailable } from '../../errors.js'
import { createFairQueue } from '../../fair-queue.js'
import { maxWaitingTransactions, type Sql } from '../port.js'
import { createCommitCounts } from './commit-counts.js'
import { isFatalForTransaction, storageError } from './errors.js'

interface Job {
  group: string
  work: () => Promise<unknown>
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

type Outcome = { value: unknown } | { error: unknown }

/** Enough to share an fsync among all that arrive together, few enough that no one waits long for the commit. */
const jobsPerCommit = 256
/** After so much work everything else has its turn; what arrives meanwhile joins the batch. */
const longestTurnMs = 8
/** After so long a batch is committed, however few its jobs. */
const longestBatchMs = 24

/**
 * Applies jobs that arrive together one by one inside one transaction, each in its own savepoint, and answers them
 * after the commit. A job that fails undoes only itself; a failed commit fails them all. Groups are served in turn.
 */
export const createGroupCommit = (
  connection: InstanceType<typeof DatabaseSync>,
  tx: Pick<Sql, 'run'>,
  beforeCommit: () => void,
) => {
  const queue = createFairQueue<Job>()
  const commits = createCommitCounts()
  let currentGroup: string | undefined
  let isRunning = false
  let onDrained: (() => void)[] = []

  const applyInSavepoint = async (job: Job): Promise<Outcome> => {
    tx.run('savepoint job')
    currentGroup = job.group
    try {
      const value = await job.work()
      tx.run('release job')
      return { value }
    } catch (error) {
      if (isFatalForTransaction(error) || !connection.isTransaction) throw error
      tx.run('rollback to job')
      tx.run('release job')
      return { error }
    } finally {
      currentGroup = undefined
    }
  }

  const takeBatch = (): Job[] => {
    const batch: Job[] = []
    for (let job = queue.take(); job; job = queue.take()) {
      batch.push(job)
      if (batch.length === jobsPerCommit) break
    }
    return batch
  }

  const begin = (): boolean => {
    try {
      tx.run('begin immediate')
      return true
    } catch (error) {
      // Each of them would wait as long for the same.
      const failure = storageError(error)
      for (const job of takeBatch()) job.reject(failure)
      return false
    }
  }

  /** Fills `batch` and `outcomes` as it goes on. */
  const applyJobs = async (batch: Job[], outcomes: Outcome[]): Promise<void> => {
    const startedMs = performance.now()
    let turnEndMs = startedMs + longestTurnMs
    while (batch.length < jobsPerCommit && performance.now() - startedMs < longestBatchMs) {
      const job = queue.take()
      if (!job) break
      batch.push(job)
      outcomes.push(await applyInSavepoint(job))
      if (queue.size > 0 && performance.now() > turnEndMs) {
        await nextTurn()
        turnEndMs = performance.now() + longestTurnMs
      }
    }
    beforeCommit()
    tx.run('commit')
    for (const { group } of batch) commits.count(group)
  }

  const runBatch = async (): Promise<void> => {
    if (!begin()) return
    const batch: Job[] = []
    const outcomes: Outcome[] = []
    let failure: Outcome | undefined
    try {
      await applyJobs(batch, outcomes)
    } catch (error) {
      if (connection.isTransaction) tx.run('rollback')
      failure = { error: storageError(error) }
    }
    for (const [at, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[at]
      const shown = outcome && (!failure || 'error' in outcome) ? outcome : failure!
      if ('error' in shown) reject(shown.error)
      else resolve(shown.value as never)
    }
  }

  const runBatches = async (): Promise<void> => {
    await runBatch()
    if (queue.size > 0) return void setImmediate(runBatches)
    isRunning = false
    for (const resolve of onDrained) resolve()
    onDrained = []
  }

  return {
    /** Of the job that is being applied. */
    currentGroup: () => currentGroup,
    commitsOf: commits.of,
    add: <T>(group: string, work: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        if (queue.size >= maxWaitingTransactions) {
          return reject(unavailable('Too many writes are waiting. Try again shortly.', 1))
        }
        queue.push(group, { group, work, resolve, reject })
        if (isRunning) return
        isRunning = true
        setImmediate(runBatches)
      }),
    drained: (): Promise<void> => (isRunning ? new Promise((resolve) => onDrained.push(resolve)) : Promise.resolve()),
  }
}
