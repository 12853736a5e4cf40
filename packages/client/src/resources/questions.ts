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
  /** Seconds to wait for the answer; unlimited by default. */
  waitSeconds?: number | undefined
}

export interface Questions {
  /** Asks about a task. If the request names a claim, asking ends it unless `keepClaim` is set. */
  create(taskId: string, question: AskQuestionBody, options?: PostOptions): Promise<Question>
  /** Returns a question. With `waitSeconds` (at most 30) it waits until the question is no longer open. */
  get(id: string, query?: GetQuestionQuery, options?: CallOptions): Promise<Question>
  /** Lists questions, newest first. */
  list(query?: ListQuestionsQuery, options?: CallOptions): Listing<ListQuestionsAnswer>
  /**
   * Waits until a question is answered or withdrawn, across lost connections and restarts of the service. After
   * `waitSeconds` it returns the question, which is then still `open`.
   */
  wait(id: string, options?: AnswerOptions): Promise<Question>
  /** Answers with one of the options, if there are any, and a text. */
  answer(id: string, answer: AnswerQuestionBody, options?: PostOptions): Promise<Question>
  withdraw(id: string, options?: PostOptions): Promise<Question>
}

/** Longest wait that the service accepts in one request. */
const maxWaitSeconds = 30

export const createQuestions = (transport: Transport): Questions => {
  const get: Questions['get'] = async (id, query = {}, options = {}) =>
    transport.fetchData({
      method: 'GET',
      path: recordPath('questions', id),
      query,
      ...options,
      timeoutMs: (options.timeoutMs ?? transport.timeoutMs) + (query.waitSeconds ?? 0) * 1_000,
    })

  const post = (path: string, body: object | undefined, options: PostOptions | undefined): Promise<Question> =>
    transport.fetchData({ method: 'POST', path, ...(body && { body }), ...options })

  return {
    create: async (taskId, question, options) => post(recordPath('tasks', taskId, 'questions'), question, options),
    get,
    list: (query = {}, options = {}) => createListing(transport, '/v1/questions', query, options),
    wait: async (id, { waitSeconds = Infinity, ...options } = {}) => {
      const endMs = Date.now() + waitSeconds * 1_000
      const read = (leftMs: number): Promise<Question> => {
        const seconds = Math.min(Math.max(0, Math.ceil(leftMs / 1_000)), maxWaitSeconds)
        return get(id, { waitSeconds: seconds }, { ...options, maxRetries: 0 })
      }
      return repeatedly(transport, recordPath('questions', id), read, ({ state }) => state !== 'open', endMs, options)
    },
    answer: async (id, answer, options) => post(recordPath('questions', id, 'answer'), answer, options),
    withdraw: async (id, options) => post(recordPath('questions', id, 'withdraw'), undefined, options),
  }
}
