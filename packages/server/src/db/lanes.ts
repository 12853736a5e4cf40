import { AppError } from '../errors.js'
import type { Sql } from './port.js'

interface Job {
  work: (tx: Sql) => Promise<unknown>
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

type Outcome = { value: unknown } | { error: unknown }

/** Enough to share a commit among all that arrive together, few enough that other nodes do not wait long. */
const jobsPerCommit = 32

/** Lets whoever holds it see whether a job has changed anything. */
const observed = (tx: Sql): { tx: Sql; hasWritten: () => boolean } => {
  let hasWritten = false
  const noting = (text: string): void => {
    if (!text.startsWith('select')) hasWritten = true
  }
  const own: Sql = {
    ...tx,
    get: (text, params) => {
      noting(text)
      return tx.get(text, params)
    },
    all: (text, params) => {
      noting(text)
      return tx.all(text, params)
    },
    run: (text, params) => {
      hasWritten = true
      return tx.run(text, params)
    },
    runAll: (statements) => {
      hasWritten = true
      return tx.runAll(statements)
    },
    transaction: (inner) => inner(own),
  }
  return { tx: own, hasWritten: () => hasWritten }
}

/** A job that was refused before it changed anything leaves nothing to undo. */
const outcomeOf = async (tx: Sql, { work }: Job): Promise<Outcome> => {
  const { tx: own, hasWritten } = observed(tx)
  try {
    return { value: await work(own) }
  } catch (error) {
    if (error instanceof AppError && error.cause === undefined && !hasWritten()) return { error }
    throw error
  }
}

/**
 * Transactions of one lane would wait for each other's row locks until the commit, so those that arrive while one is
 * under way are run one after the other in one transaction. If one of them fails there, each is run by itself.
 */
export const createLanes = (begin: <T>(lane: string, work: (tx: Sql) => Promise<T>) => Promise<T>) => {
  const waiting = new Map<string, Job[]>()

  const runAlone = (lane: string, { work, resolve, reject }: Job): Promise<void> =>
    begin(lane, work).then((value) => resolve(value as never), reject)

  const runTogether = async (lane: string, batch: readonly Job[]): Promise<void> => {
    let outcomes: Outcome[] = []
    try {
      await begin(lane, async (tx) => {
        outcomes = []
        for (const job of batch) outcomes.push(await outcomeOf(tx, job))
      })
    } catch {
      for (const job of batch) await runAlone(lane, job)
      return
    }
    for (const [at, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[at]!
      if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.value as never)
    }
  }

  const runLane = async (lane: string, first: Job): Promise<void> => {
    const queue: Job[] = []
    waiting.set(lane, queue)
    let batch = [first]
    while (batch.length > 0) {
      await (batch.length === 1 ? runAlone(lane, batch[0]!) : runTogether(lane, batch))
      batch = queue.splice(0, jobsPerCommit)
    }
    waiting.delete(lane)
  }

  return {
    add: <T>(lane: string, work: (tx: Sql) => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const job = { work, resolve, reject }
        const queue = waiting.get(lane)
        if (queue) queue.push(job)
        else void runLane(lane, job)
      }),
  }
}
