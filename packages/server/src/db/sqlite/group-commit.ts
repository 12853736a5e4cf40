import { setTimeout as pause } from 'node:timers/promises'
import type { DatabaseSync } from '@photostructure/sqlite'
import { isRefusal, unavailable } from '../../base/errors.js'
import { randomBase62 } from '../../base/ids.js'
import { createFairQueue } from '../../scheduling/fair-queue.js'
import { type Scheduler, writerGroup } from '../../scheduling/scheduler.js'
import { everyGroup, maxWaitingTransactions, type Sql } from '../port.js'
import { isBusy, isFatalForTransaction, storageError } from './errors.js'

/** Beyond it all start anew, and what was said of any of them before is said of none again. */
const maxGroups = 10_000

/** Counts the commits of each group by this process. */
const createCommitCounts = () => {
  const counts = new Map<string, number>()
  let name = randomBase62(8)
  return {
    count: (group: string): void => {
      if (group === everyGroup || (counts.size >= maxGroups && !counts.has(group))) {
        counts.clear()
        name = randomBase62(8)
      }
      counts.set(group, (counts.get(group) ?? 0) + 1)
    },
    of: (group: string): string => `${name}.${counts.get(group) ?? 0}`,
  }
}

interface Job {
  group: string
  work: () => Promise<unknown>
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

type Outcome = { value: unknown } | { error: unknown; hasLeftChanges?: boolean }
type Apply = (job: Job) => Promise<Outcome>

/** Enough to share an fsync among all that arrive together, few enough that no one waits long for the commit. */
const jobsPerCommit = 256
/** After so long a batch is committed, however few its jobs. */
const maxBatchMs = 24
/** How long jobs run in savepoints after a batch had to run twice, so that repeated failures do not double the work. */
const cautiousMs = 10_000
/** How long a batch waits for the write lock of another process, such as the command line. */
const lockWaitMs = 5_000
const lockPollMs = 5

/**
 * Applies jobs that arrive together one by one inside one transaction, and answers them after the commit. A job that
 * fails undoes only itself; a failed commit fails them all. Groups are served in turn.
 *
 * In a savepoint SQLite copies each page that a job changes, an eighth of what a write costs. So jobs run without one;
 * if a job fails after it has changed something, those before it run again with a savepoint for each. The one that
 * failed does not: it may have been long, and others wait.
 */
export const createGroupCommit = (
  connection: InstanceType<typeof DatabaseSync>,
  tx: Pick<Sql, 'run'>,
  beforeCommit: () => void,
  scheduler: Scheduler,
) => {
  const queue = createFairQueue<Job>()
  const commits = createCommitCounts()
  const countChanges = connection.prepare('select total_changes() as count')
  const changes = (): number => (countChanges.get() as { count: number }).count
  let currentGroup: string | undefined
  let isRunning = false
  let cautiousUntilMs = 0
  let onDrained: (() => void)[] = []

  const hasEndedTransaction = (error: unknown): boolean => isFatalForTransaction(error) || !connection.isTransaction

  const begin = async (): Promise<void> => {
    const endsAtMs = performance.now() + lockWaitMs
    for (;;) {
      try {
        tx.run('begin immediate')
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() >= endsAtMs) throw error
      }
      await pause(lockPollMs)
    }
  }

  /** SQLite ends the transaction even if the rollback reports an error, for example on a damaged file. */
  const rollBack = (): void => {
    try {
      if (connection.isTransaction) tx.run('rollback')
    } catch {}
  }

  const work = async (job: Job): Promise<unknown> => {
    currentGroup = job.group
    try {
      return await job.work()
    } finally {
      currentGroup = undefined
    }
  }

  const applyInSavepoint = async (job: Job): Promise<Outcome> => {
    tx.run('savepoint job')
    try {
      const value = await work(job)
      tx.run('release job')
      return { value }
    } catch (error) {
      if (hasEndedTransaction(error)) throw error
      tx.run('rollback to job')
      tx.run('release job')
      return { error }
    }
  }

  const applyWithoutSavepoint: Apply = async (job) => {
    const changesBefore = changes()
    try {
      const value = await work(job)
      if (!connection.isTransaction) throw new Error('SQLite ended the transaction')
      return { value }
    } catch (error) {
      if (hasEndedTransaction(error)) throw error
      return { error, hasLeftChanges: !isRefusal(error) || changes() !== changesBefore }
    }
  }

  /** Fills `outcomes` as it goes on, and commits; answers the outcome of a job that left changes, after which it ends. */
  const applyJobs = async (
    next: () => Job | undefined,
    apply: Apply,
    outcomes: Outcome[],
  ): Promise<Outcome | undefined> => {
    for (let job = next(); job; job = next()) {
      // Jobs that arrive while the batch waits join it.
      await scheduler.turn(writerGroup)
      const outcome = await apply(job)
      if ('error' in outcome && outcome.hasLeftChanges) return outcome
      outcomes.push(outcome)
    }
    beforeCommit()
    tx.run('commit')
    return undefined
  }

  const takeJobs = (batch: Job[]): (() => Job | undefined) => {
    const startedMs = performance.now()
    return () => {
      if (batch.length === jobsPerCommit || performance.now() - startedMs >= maxBatchMs) return undefined
      const job = queue.take()
      if (job) batch.push(job)
      return job
    }
  }

  /** Fills `batch` and `outcomes` as it goes on. */
  const applyBatch = async (batch: Job[], outcomes: Outcome[]): Promise<void> => {
    await begin()
    const apply = performance.now() < cautiousUntilMs ? applyInSavepoint : applyWithoutSavepoint
    const failure = await applyJobs(takeJobs(batch), apply, outcomes)
    if (!failure) return
    tx.run('rollback')
    outcomes.length = 0
    cautiousUntilMs = performance.now() + cautiousMs
    const again = batch.slice(0, -1).values()
    await begin()
    await applyJobs(() => again.next().value, applyInSavepoint, outcomes)
    outcomes.push(failure)
  }

  const runBatch = async (): Promise<void> => {
    const batch: Job[] = []
    const outcomes: Outcome[] = []
    let failure: Outcome | undefined
    try {
      await applyBatch(batch, outcomes)
      for (const { group } of batch) commits.count(group)
    } catch (error) {
      rollBack()
      // If the batch could not begin, fail all waiting jobs too: each would wait as long for the same lock.
      if (batch.length === 0) for (const next = takeJobs(batch); next(); );
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
