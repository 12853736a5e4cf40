import { unavailable } from '../base/errors.js'

/** Longer than any healthy answer, shorter than a caller's patience. */
const usualWaitMs = 2_000

/** More than requests can be under way, so that only a defect or an attack meets it. */
const maxWaiting = 10_000

interface Waiting<Answer> {
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

interface Batch<Question, Answer> {
  questions: Question[]
  waiting: Waiting<Answer>[]
  timer: NodeJS.Timeout
}

/** One key's batch that is being asked for, and the one that fills meanwhile. */
interface Queue<Question, Answer> {
  filling: Batch<Question, Answer> | undefined
  away: Batch<Question, Answer> | undefined
}

const noAnswer = () =>
  unavailable('Rate limits cannot be checked because the database does not respond. Try again shortly.', 2)

/**
 * Lets questions of one key that arrive while a batch of it is away go together in the next: the busier, the more of
 * them share one round trip. Keys do not wait for each other, and none waits longer than the bound, whatever becomes
 * of the answer.
 */
export const createBatches = <Question, Answer>(
  ask: (key: string, questions: readonly Question[]) => Promise<Answer[]>,
  waitMs = usualWaitMs,
) => {
  const queues = new Map<string, Queue<Question, Answer>>()
  let waitingCount = 0
  let onDrained: (() => void)[] = []

  const end = (key: string, queue: Queue<Question, Answer>, batch: Batch<Question, Answer>): void => {
    clearTimeout(batch.timer)
    if (queue.filling !== batch && queue.away !== batch) return
    waitingCount -= batch.waiting.length
    if (queue.filling === batch) queue.filling = undefined
    if (queue.away === batch) queue.away = undefined
    send(key, queue)
    if (queue.filling || queue.away) return
    queues.delete(key)
    if (queues.size > 0) return
    for (const resolve of onDrained) resolve()
    onDrained = []
  }

  const fail = (key: string, queue: Queue<Question, Answer>, batch: Batch<Question, Answer>, error: unknown): void => {
    for (const { reject } of batch.waiting) reject(error)
    end(key, queue, batch)
  }

  const open = (key: string, queue: Queue<Question, Answer>): Batch<Question, Answer> => {
    const batch: Batch<Question, Answer> = {
      questions: [],
      waiting: [],
      timer: setTimeout(() => fail(key, queue, batch, noAnswer()), waitMs),
    }
    // Everything that the sockets bring in this turn goes with it.
    if (!queue.away) setImmediate(send, key, queue)
    return batch
  }

  const send = (key: string, queue: Queue<Question, Answer>): void => {
    if (!queue.filling || queue.away) return
    const batch = queue.filling
    queue.filling = undefined
    queue.away = batch
    ask(key, batch.questions).then(
      (answers) => {
        for (const [at, { resolve }] of batch.waiting.entries()) resolve(answers[at]!)
        end(key, queue, batch)
      },
      (error) => fail(key, queue, batch, error),
    )
  }

  const queueOf = (key: string): Queue<Question, Answer> => {
    let queue = queues.get(key)
    if (!queue) {
      queue = { filling: undefined, away: undefined }
      queues.set(key, queue)
    }
    return queue
  }

  return {
    add: (key: string, question: Question): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (waitingCount >= maxWaiting) return reject(noAnswer())
        waitingCount++
        const queue = queueOf(key)
        queue.filling ??= open(key, queue)
        queue.filling.questions.push(question)
        queue.filling.waiting.push({ resolve, reject })
      }),
    /** Waits until every question has its answer. */
    drained: (): Promise<void> =>
      queues.size > 0 ? new Promise((resolve) => onDrained.push(resolve)) : Promise.resolve(),
  }
}
