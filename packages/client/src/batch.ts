import { queryOf } from './address.js'
import { invalid } from './error-of.js'
import type { PostOptions } from './options.js'
import type { Knowledge } from './resources/knowledge.js'
import type { QuestionRecords } from './resources/questions.js'
import type { TaskRecords } from './resources/tasks.js'
import { type Request, sendingBy, type Transport } from './transport.js'
import type { RunBatchAnswer, RunBatchBody } from './types.gen.js'

interface BatchedCalls {
  tasks: Pick<TaskRecords, 'create' | 'update' | 'delete' | 'decideCheck' | 'comments'>
  questions: Pick<QuestionRecords, 'create' | 'answer' | 'withdraw'>
  knowledge: Pick<Knowledge, 'put' | 'patch' | 'verify' | 'dispute' | 'judge' | 'retract' | 'move' | 'delete'>
}

/** The writes a batch can make. Each call is recorded, and all of them are sent together. */
export interface BatchBuilder extends BatchedCalls {
  /** Names the result of the next call. Later calls can use `@name` in place of its id. */
  as(name: string): BatchedCalls
}

export type BatchResults<T extends readonly unknown[]> = { -readonly [K in keyof T]: Awaited<T[K]> }

type Operation = RunBatchBody['operations'][number]

const headerNames: Record<string, keyof NonNullable<Operation['headers']>> = {
  'if-match': 'If-Match',
  'if-none-match': 'If-None-Match',
  'worklore-claim': 'Worklore-Claim',
}

const headersOf = (headers: Record<string, string> = {}): NonNullable<Operation['headers']> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [headerNames[name] ?? name, value]))

export interface Recorder {
  /** Returns a transport that records requests; `as` names the result of the next one. */
  transport(as?: string): Transport
  /** Sends the recorded requests as one batch. */
  send(options: PostOptions): Promise<void>
}

export const createRecorder = (transport: Transport): Recorder => {
  const operations: Operation[] = []
  const resolvers: ((body: never) => void)[] = []

  const record = (as: string | undefined) => (request: Request) => {
    const { method, path, query = {}, body, headers } = request
    if (method === 'GET') throw invalid('batch', `takes writes only, not GET ${path}`)
    operations.push({ method, path: path + queryOf(query), body, headers: headersOf(headers), ...(as && { as }) })
    // If the batch fails, these stay pending: the batch itself throws, so callers need not catch each call.
    return new Promise<never>((resolve) => resolvers.push(resolve))
  }

  return {
    transport: (as) => sendingBy(transport, record(as)),
    send: async (options) => {
      const answers = await transport.fetchData<RunBatchAnswer['data']>({
        method: 'POST',
        path: '/v1/batch',
        body: { operations },
        ...options,
      })
      for (const [index, { body }] of answers.entries()) resolvers[index]!(body as never)
    },
  }
}

export const batchOf = (recorder: Recorder, viewOf: (transport: Transport) => BatchedCalls): BatchBuilder => ({
  ...viewOf(recorder.transport()),
  as: (name) => viewOf(recorder.transport(name)),
})

/** Rejects if a call failed before it was recorded, so that the batch is not sent without it. */
const refuseInvalid = (results: Promise<unknown>): Promise<unknown> =>
  Promise.race([results, new Promise((done) => setTimeout(done))])

/** Sends the writes made by `build` as one batch, and returns the results of the promises that `build` returned. */
export const runBatch = async <const T extends readonly unknown[]>(
  recorder: Recorder,
  build: () => T,
  options: PostOptions,
): Promise<BatchResults<T>> => {
  const results = Promise.all(build())
  await refuseInvalid(results)
  await recorder.send(options)
  return results as Promise<BatchResults<T>>
}
