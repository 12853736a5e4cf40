import { recordPath } from '../address.js'
import { claimRequest } from '../claim-request.js'
import { type ClaimOptions, createHeldClaim, type HeldClaim } from '../held-claim.js'
import type { PostOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type {
  AskQuestionBody,
  ClaimTaskAnswer,
  ClaimTaskBody,
  NextTaskAnswer,
  NextTaskBody,
  Question,
  ReleaseClaimBody,
  RenewClaimBody,
  Task,
} from '../types.gen.js'
import { type AnswerOptions, createQuestions } from '../waiting.js'
import type { WorkView } from '../work-view.js'

export type NextFilters = Pick<NextTaskBody, 'projectId' | 'label' | 'priority' | 'parentId'>
export type NextRequest = Omit<NextTaskBody, 'peek'> & ClaimOptions
export type ClaimRequest = ClaimTaskBody & ClaimOptions

export interface TaskClaims {
  /** Claims the best ready task. Returns null if none becomes ready within `waitSeconds`. */
  next(request?: NextRequest, options?: PostOptions): Promise<HeldClaim | null>
  /** Returns the task that `next` would claim. */
  peek(filters?: NextFilters, options?: PostOptions): Promise<Task | null>
  /** Claims a task by its id. Fails with a ConflictError whose reason says why, such as `claimed`, `blocked` or `closed`. */
  claim(id: string, request?: ClaimRequest, options?: PostOptions): Promise<HeldClaim>
  /** Extends a claim named by its token, for a program that did not keep the `HeldClaim`. */
  renew(token: string, renewal?: RenewClaimBody, options?: PostOptions): Promise<Task>
  /** Ends a claim named by its token and sets the task's status; without one the task returns to the queue. */
  release(token: string, release?: ReleaseClaimBody, options?: PostOptions): Promise<Task>
  /**
   * Asks a question about a task and waits, even across restarts of the service, until it is answered or withdrawn. The
   * question stays open if `waitSeconds` pass or the signal aborts.
   */
  ask(id: string, question: AskQuestionBody, options?: AnswerOptions): Promise<Question>
}

const nextPath = '/v1/tasks/next'

export const createTaskClaims = (transport: Transport, viewOf: (transport: Transport) => WorkView): TaskClaims => ({
  next: async ({ onLost, ...request } = {}, options = {}) => {
    const askedAtMs = Date.now()
    const timeoutMs = (options.timeoutMs ?? transport.timeoutMs) + (request.waitSeconds ?? 0) * 1_000
    const { data: task, context } = await transport.send<NextTaskAnswer>({
      method: 'POST',
      path: nextPath,
      body: request,
      ...options,
      timeoutMs,
    })
    return task && createHeldClaim(transport, viewOf, task, askedAtMs, { onLost, context })
  },
  peek: (filters = {}, options = {}) =>
    transport.fetchData({ method: 'POST', path: nextPath, body: { ...filters, peek: true }, ...options }),
  claim: async (id, { onLost, ...request } = {}, options = {}) => {
    const askedAtMs = Date.now()
    const path = recordPath('tasks', id, 'claim')
    const answer = await transport.send<ClaimTaskAnswer>({ method: 'POST', path, body: request, ...options })
    return createHeldClaim(transport, viewOf, answer.data, askedAtMs, { onLost, context: answer.context })
  },
  renew: async (token, body = {}, options = {}) =>
    transport.fetchData({ ...claimRequest(token, 'renew', body), ...options }),
  release: async (token, body = {}, options = {}) =>
    transport.fetchData({ ...claimRequest(token, 'release', body), ...options }),
  ask: async (id, question, { waitSeconds, ...options } = {}) => {
    const questions = createQuestions(transport)
    const asked = await questions.create(id, question, options)
    return asked.state === 'open' ? questions.wait(asked.id, { waitSeconds, ...options }) : asked
  },
})
