import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type {
  AnswerQuestionBody,
  AskQuestionBody,
  GetQuestionQuery,
  ListQuestionsAnswer,
  ListQuestionsQuery,
  Question,
} from '../types.gen.js'

export interface QuestionRecords {
  /** Asks about a task. If the request names a claim, asking ends it unless `keepClaim` is set. */
  create(taskId: string, question: AskQuestionBody, options?: PostOptions): Promise<Question>
  /** Returns a question. With `waitSeconds` (at most 30) it waits until the question is no longer open. */
  get(id: string, query?: GetQuestionQuery, options?: CallOptions): Promise<Question>
  /** Lists questions, newest first. */
  list(query?: ListQuestionsQuery, options?: CallOptions): Listing<ListQuestionsAnswer>
  /** Answers with one of the options, if there are any, and a text. */
  answer(id: string, answer: AnswerQuestionBody, options?: PostOptions): Promise<Question>
  withdraw(id: string, options?: PostOptions): Promise<Question>
}

export const createQuestionRecords = (transport: Transport): QuestionRecords => {
  const get: QuestionRecords['get'] = async (id, query = {}, options = {}) =>
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
    answer: async (id, answer, options) => post(recordPath('questions', id, 'answer'), answer, options),
    withdraw: async (id, options) => post(recordPath('questions', id, 'withdraw'), undefined, options),
  }
}
