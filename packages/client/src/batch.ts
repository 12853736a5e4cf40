import { queryOf } from './address.js'
import { invalid } from './error-of.js'
import type { PostOptions } from './options.js'
import type { Knowledge } from './resources/knowledge.js'
import type { Questions } from './resources/questions.js'
import type { Tasks } from './resources/tasks.js'
import { type Request, sendingBy, type Transport } from './transport.js'
import type { RunBatchAnswer, RunBatchBody } from './types.gen.js'

interface BatchedCalls {
  tasks: Pick<Tasks, 'create' | 'update' | 'delete' | 'decideCheck' | 'comments'>
  questions: Pick<Questions, 'create' | 'answer' | 'withdraw'>
  knowledge: Pick<Knowledge, 'put' | 'patch' | 'verify' | 'dispute' | 'judge' | 'retract' | 'move' | 'delete'>
}

/** What a batch can do. Its calls are noted as they are made, and sent together. */
export interface BatchBuilder extends BatchedCalls {
  /** Names the result of the call that follows: in later calls `@name` stands for its id. */
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

/** Notes requests in place of sending them, to send them as one. */
export const createRecorder = (transport: Transport) => {
  const operations: Operation[] = []
  const resolvers: ((body: never) => void)[] = []

  const record = (as: string | undefined) => (request: Request) => {
    const { method, path, query = {}, body, headers } = request
    if (method === 'GET') throw invalid('batch', `takes writes only, not GET ${path}`)
    operations.push({ method, path: path + queryOf(query), body, headers: headersOf(headers), ...(as && { as }) })
    // Where the batch fails these stay open: it throws by itself, and nobody has to catch the calls one by one.
    return new Promise<never>((resolve) => resolvers.push(resolve))
  }

  return {
    transport: (as?: string): Transport => sendingBy(transport, record(as)),
    send: async (options: PostOptions): Promise<void> => {
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

export type Recorder = ReturnType<typeof createRecorder>

/** Lets calls that were refused before they were noted reject, so that the batch is not sent without them. */
const refuseInvalid = (results: Promise<unknown>): Promise<unknown> =>
  Promise.race([results, new Promise((done) => setTimeout(done))])

/** Sends what `build` notes, and gives the results of the calls that it returns. */
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
