import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { repeatedly } from '../repeatedly.js'
import type { Transport } from '../transport.js'
import type {
  AnswerQuestionBody,
  AskQuestionBody,
  GetQuestionQuery,
  ListQuestionsAnswer,
  ListQuestionsQuery,
  Question,
} from '../types.gen.js'

export interface AnswerOptions extends PostOptions {
  /** How long to wait for the answer, in seconds; without end if not given. */
  waitSeconds?: number | undefined
}

/** The longest wait that the service takes for one request. */
const maxWaitSeconds = 30

export const createQuestions = (transport: Transport) => {
  const get = async (id: string, query: GetQuestionQuery = {}, options: CallOptions = {}): Promise<Question> =>
    transport.fetchData({
      method: 'GET',
      path: recordPath('questions', id),
      query,
      ...options,
      timeoutMs: (options.timeoutMs ?? transport.timeoutMs) + (query.waitSeconds ?? 0) * 1_000,
    })

  const post = (path: string, body: object | undefined, options: PostOptions): Promise<Question> =>
    transport.fetchData({ method: 'POST', path, ...(body && { body }), ...options })

  return {
    /** Asks about a task. Under a claim, it ends the claim unless `keepClaim` is set. */
    create: async (taskId: string, question: AskQuestionBody, options: PostOptions = {}): Promise<Question> =>
      post(recordPath('tasks', taskId, 'questions'), question, options),
    /** `waitSeconds` asks for a long poll: until it is no longer open, at most 30. */
    get,
    /** The newest first. */
    list: (query: ListQuestionsQuery = {}, options: CallOptions = {}): Listing<ListQuestionsAnswer> =>
      createListing(transport, '/v1/questions', query, options),
    /**
     * Waits until a question is answered or withdrawn, over lost connections and restarts of the service too. After
     * `waitSeconds` it gives the question as it is, still `open`.
     */
    wait: async (id: string, { waitSeconds = Infinity, ...options }: AnswerOptions = {}): Promise<Question> => {
      const endMs = Date.now() + waitSeconds * 1_000
      const read = (leftMs: number): Promise<Question> => {
        const seconds = Math.min(Math.max(0, Math.ceil(leftMs / 1_000)), maxWaitSeconds)
        return get(id, { waitSeconds: seconds }, { ...options, maxRetries: 0 })
      }
      return repeatedly(transport, recordPath('questions', id), read, ({ state }) => state !== 'open', endMs, options)
    },
    /** One of the options, with a text if there is more to say; a text where there are no options. */
    answer: async (id: string, answer: AnswerQuestionBody, options: PostOptions = {}): Promise<Question> =>
      post(recordPath('questions', id, 'answer'), answer, options),
    withdraw: async (id: string, options: PostOptions = {}): Promise<Question> =>
      post(recordPath('questions', id, 'withdraw'), undefined, options),
  }
}

export type Questions = ReturnType<typeof createQuestions>
