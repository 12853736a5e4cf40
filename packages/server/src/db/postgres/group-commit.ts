import { isRefusal, unavailable } from '../../base/errors.js'
import { maxWaitingTransactions, type Sql } from '../port.js'

type Work = (tx: Sql) => Promise<unknown>

interface Job {
  work: Work
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/** Undoes what `work` did if it fails, and lets the transaction go on. */
export type InSavepoint = <T>(work: (tx: Sql) => Promise<T>) => Promise<T>

type Outcome = { value: unknown } | { error: unknown } | 'again'

/** Each job leaves a savepoint behind, of which PostgreSQL keeps 64 cheaply. */
const jobsPerCommit = 48
/**
 * A batch that has run for so long is committed. Other nodes' changes of the group wait for it in their first statement,
 * which may take 5 s.
 */
const maxBatchMs = 1_000

/** The transaction of several jobs as one of them has it; knows whether that job wrote anything. */
const transactionOfJob = (tx: Sql, awaitedAtEnd: Promise<void>[]): { tx: Sql; hasWritten: () => boolean } => {
  let hasWritten = false
  const tracked: Sql = {
    ...tx,
    run: (text, params) => {
      hasWritten = true
      return tx.run(text, params)
    },
    runReturning: (text, params) => {
      hasWritten = true
      return tx.runReturning(text, params)
    },
    runAll: (statements) => {
      hasWritten = true
      return tx.runAll(statements)
    },
    awaitBeforeCommit: (write) => {
      write.catch(() => {})
      awaitedAtEnd.push(write)
    },
    transaction: (inner) => inner(tracked),
  }
  return { tx: tracked, hasWritten: () => hasWritten }
}

/** The jobs of a batch that begin in time. The first is no measure: it may have waited for other nodes. */
function* jobsInTime(batch: readonly Job[]): Generator<Job> {
  let endsAtMs = Number.POSITIVE_INFINITY
  for (const [at, job] of batch.entries()) {
    if (performance.now() >= endsAtMs) return
    yield job
    if (at === 0) endsAtMs = performance.now() + maxBatchMs
  }
}

interface GroupCommit {
  add<T>(group: string, work: (tx: Sql) => Promise<T>): Promise<T>
}

/**
 * Jobs of one group that wait while a batch of it is under way are the next batch, which runs in one transaction: they
 * would only have waited for each other's row locks and paid for a commit each.
 * `transaction` keeps the other nodes' transactions of the group out until it ends, so that batches cannot lock rows
 * in a circle. Groups do not wait for each other here: their transactions get connections in turn.
 */
export const createGroupCommit = (
  transaction: <T>(group: string, work: (tx: Sql, inSavepoint: InSavepoint) => Promise<T>) => Promise<T>,
  isWorthRetrying: (error: unknown) => boolean,
): GroupCommit => {
  const queues = new Map<string, Job[]>()
  let waiting = 0

  const apply = async (inSavepoint: InSavepoint, work: Work): Promise<Outcome> => {
    let hasFailed = false
    try {
      const value = await inSavepoint((tx) =>
        work(tx).catch((error) => {
          hasFailed = true
          throw error
        }),
      )
      return { value }
    } catch (error) {
      // Where the work itself is not to blame, the savepoint is lost and the transaction with it.
      if (!hasFailed) throw error
      return isWorthRetrying(error) ? 'again' : { error }
    }
  }

  /** With a savepoint for each job: one that fails undoes only itself. */
  const applyWithSavepoints = (group: string, batch: readonly Job[]): Promise<Outcome[]> =>
    transaction(group, async (_tx, inSavepoint) => {
      const outcomes: Outcome[] = []
      for (const { work } of jobsInTime(batch)) outcomes.push(await apply(inSavepoint, work))
      return outcomes
    })

  /**
   * Without savepoints, which cost a round trip each, and without waiting for the last writes of a job before the next
   * one. A job that is refused before it has written anything leaves nothing to undo; undefined where one failed
   * otherwise, so that nothing was committed.
   */
  const applyWithoutSavepoints = async (group: string, batch: readonly Job[]): Promise<Outcome[] | undefined> => {
    let hasJobFailed = false
    try {
      return await transaction(group, async (tx) => {
        // It may run again; where a commit then fails, it is not known whether it has taken place.
        hasJobFailed = false
        const outcomes: Outcome[] = []
        const awaitedAtEnd: Promise<void>[] = []
        for (const { work } of jobsInTime(batch)) {
          const job = transactionOfJob(tx, awaitedAtEnd)
          try {
            outcomes.push({ value: await work(job.tx) })
          } catch (error) {
            hasJobFailed = job.hasWritten() || !isRefusal(error)
            if (hasJobFailed) throw error
            outcomes.push({ error })
          }
        }
        await Promise.all(awaitedAtEnd).catch((error) => {
          hasJobFailed = true
          throw error
        })
        return outcomes
      })
    } catch (error) {
      if (!hasJobFailed) throw error
      return undefined
    }
  }

  const runAlone = (group: string, { work, resolve, reject }: Job): Promise<void> =>
    transaction(group, work).then((value) => resolve(value as never), reject)

  /** Answers the jobs that are left for the next batch. */
  const runBatch = async (group: string, batch: readonly Job[]): Promise<readonly Job[]> => {
    if (batch.length === 1) {
      await runAlone(group, batch[0]!)
      return []
    }
    try {
      const outcomes = (await applyWithoutSavepoints(group, batch)) ?? (await applyWithSavepoints(group, batch))
      for (const [at, outcome] of outcomes.entries()) {
        const job = batch[at]!
        if (outcome === 'again') await runAlone(group, job)
        else if ('error' in outcome) job.reject(outcome.error)
        else job.resolve(outcome.value as never)
      }
      return batch.slice(outcomes.length)
    } catch (error) {
      for (const job of batch) job.reject(error)
      return []
    }
  }

  const runQueue = async (group: string, queue: Job[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, jobsPerCommit)
      waiting -= batch.length
      const left = await runBatch(group, batch)
      waiting += left.length
      queue.unshift(...left)
    }
    queues.delete(group)
  }

  return {
    add: (group, work) =>
      new Promise((resolve, reject) => {
        if (waiting >= maxWaitingTransactions) {
          return reject(unavailable('Too many writes are waiting. Try again shortly.', 1))
        }
        waiting++
        const job: Job = { work, resolve, reject }
        const queue = queues.get(group)
        if (queue) return void queue.push(job)
        const started = [job]
        queues.set(group, started)
        // Whatever arrived together with it joins its batch.
        setImmediate(runQueue, group, started)
      }),
  }
}
