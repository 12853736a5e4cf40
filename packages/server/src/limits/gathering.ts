import { unavailable } from '../errors.js'

/** Longer than any healthy answer, shorter than a caller's patience. */
const usualWaitMs = 2_000

interface Waiting<Answer> {
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

interface Batch<Question, Answer> {
  questions: Question[]
  waiting: Waiting<Answer>[]
  timer: NodeJS.Timeout
}

/**
 * Lets questions that arrive while another batch is away go together in the next: the busier, the more of them share
 * one round trip. None waits longer than the bound, whatever becomes of the answer.
 */
export const createGathering = <Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<Answer[]>,
  waitMs = usualWaitMs,
) => {
  let gathered: Batch<Question, Answer> | undefined
  let away: Batch<Question, Answer> | undefined
  let onDrained: (() => void)[] = []

  const end = (batch: Batch<Question, Answer>): void => {
    clearTimeout(batch.timer)
    if (gathered === batch) gathered = undefined
    if (away === batch) away = undefined
    send()
    if (gathered || away) return
    for (const resolve of onDrained) resolve()
    onDrained = []
  }

  const fail = (batch: Batch<Question, Answer>, error: unknown): void => {
    for (const { reject } of batch.waiting) reject(error)
    end(batch)
  }

  const open = (): Batch<Question, Answer> => {
    const giveUp = (): void =>
      fail(batch, unavailable('The store does not answer, so the limits cannot be checked. Try again shortly.', 2))
    const batch = { questions: [], waiting: [], timer: setTimeout(giveUp, waitMs) }
    // Everything that the sockets bring in this turn goes with it.
    if (!away) setImmediate(send)
    return batch
  }

  const send = (): void => {
    if (!gathered || away) return
    const batch = gathered
    gathered = undefined
    away = batch
    ask(batch.questions).then(
      (answers) => {
        for (const [at, { resolve }] of batch.waiting.entries()) resolve(answers[at]!)
        end(batch)
      },
      (error) => fail(batch, error),
    )
  }

  return {
    add: (question: Question): Promise<Answer> =>
      new Promise((resolve, reject) => {
        gathered ??= open()
        gathered.questions.push(question)
        gathered.waiting.push({ resolve, reject })
      }),
    /** Waits until every question has its answer. */
    drained: (): Promise<void> =>
      gathered || away ? new Promise((resolve) => onDrained.push(resolve)) : Promise.resolve(),
  }
}
