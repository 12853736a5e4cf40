import type { Sql } from './port.js'

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

export interface GatheredCommits {
  add<T>(group: string, work: (tx: Sql) => Promise<T>): Promise<T>
}

/**
 * Jobs of one group that wait while a batch of it is under way are the next batch, which runs in one transaction with
 * a savepoint for each job: they would only have waited for each other's row locks and paid for a commit each.
 * `transaction` keeps the other nodes' transactions of the group out until it ends, so that batches cannot lock rows
 * in a circle.
 */
export const createGatheredCommits = (
  transaction: <T>(group: string, work: (tx: Sql, inSavepoint: InSavepoint) => Promise<T>) => Promise<T>,
  isWorthRetrying: (error: unknown) => boolean,
): GatheredCommits => {
  const lines = new Map<string, Job[]>()

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

  const applyAll = (group: string, batch: readonly Job[]): Promise<Outcome[]> =>
    transaction(group, async (_tx, inSavepoint) => {
      const outcomes: Outcome[] = []
      for (const { work } of batch) outcomes.push(await apply(inSavepoint, work))
      return outcomes
    })

  const runAlone = (group: string, { work, resolve, reject }: Job): Promise<void> =>
    transaction(group, work).then((value) => resolve(value as never), reject)

  const runBatch = async (group: string, batch: readonly Job[]): Promise<void> => {
    if (batch.length === 1) return runAlone(group, batch[0]!)
    try {
      const outcomes = await applyAll(group, batch)
      for (const [at, job] of batch.entries()) {
        const outcome = outcomes[at]!
        if (outcome === 'again') await runAlone(group, job)
        else if ('error' in outcome) job.reject(outcome.error)
        else job.resolve(outcome.value as never)
      }
    } catch (error) {
      for (const job of batch) job.reject(error)
    }
  }

  const runLine = async (group: string, line: Job[]): Promise<void> => {
    while (line.length > 0) await runBatch(group, line.splice(0, jobsPerCommit))
    lines.delete(group)
  }

  return {
    add: (group, work) =>
      new Promise((resolve, reject) => {
        const job: Job = { work, resolve, reject }
        const line = lines.get(group)
        if (line) return void line.push(job)
        const started = [job]
        lines.set(group, started)
        // Whatever arrived together with it joins its batch.
        setImmediate(runLine, group, started)
      }),
  }
}
