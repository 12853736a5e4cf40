import { recordPath } from '../address.js'
import { type ClaimOptions, createHeldClaim, type HeldClaim } from '../held-claim.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
  AskQuestionBody,
  ClaimTaskAnswer,
  ClaimTaskBody,
  Context,
  CountTasksQuery,
  CreateTaskBody,
  DecideCheckBody,
  GetTaskContextQuery,
  GetTaskHistoryAnswer,
  GetTaskHistoryQuery,
  ListBasisAnswer,
  ListBasisQuery,
  ListTaskCardsAnswer,
  ListTaskCardsQuery,
  ListTasksAnswer,
  ListTasksQuery,
  NextTaskAnswer,
  NextTaskBody,
  Question,
  RankTaskBody,
  SearchTasksAnswer,
  SearchTasksQuery,
  SimilarTasksAnswer,
  SimilarTasksQuery,
  Task,
  TaskCounts,
  TaskVersion,
  UpdateTaskBody,
} from '../types.gen.js'
import { type Change, updateByFunction, type VersionOptions, versionHeaders } from '../versions.js'
import type { WorkView } from '../work-view.js'
import { createComments } from './comments.js'
import { type AnswerOptions, createQuestions } from './questions.js'

type AnyOf<T> = T | readonly T[]
type ListedFilters = 'id' | 'projectId' | 'status' | 'assignee' | 'priority' | 'label'

/** Each of the filters takes one value or several, which means any of them. */
interface AnyOfFilters {
  id?: AnyOf<string> | undefined
  /** By id or key. */
  projectId?: AnyOf<string> | undefined
  status?: AnyOf<Task['status']> | undefined
  /** User ids, `me` for the user of the key, or `none` for tasks of no one. */
  assignee?: AnyOf<string> | undefined
  priority?: AnyOf<Task['priority']> | undefined
  label?: AnyOf<string> | undefined
}

export type TaskFilters = Omit<ListTasksQuery, ListedFilters> & AnyOfFilters
export type TaskCardFilters = Omit<ListTaskCardsQuery, ListedFilters> & AnyOfFilters
export type TaskCountFilters = Omit<CountTasksQuery, ListedFilters> & AnyOfFilters
export type TaskSearchFilters = Omit<SearchTasksQuery, ListedFilters | 'q'> & AnyOfFilters

export type NextFilters = Pick<NextTaskBody, 'projectId' | 'label' | 'priority' | 'parentId'>
export type NextRequest = Omit<NextTaskBody, 'peek'> & ClaimOptions
export type ClaimRequest = ClaimTaskBody & ClaimOptions

export interface TaskDeleteOptions extends VersionOptions {
  /** Delete its subtasks with it. */
  force?: boolean | undefined
}

export const createTasks = (transport: Transport, viewOf: (transport: Transport) => WorkView) => {
  const nextPath = '/v1/tasks/next'
  const get = async (id: string, options: CallOptions = {}): Promise<Task> =>
    transport.fetchData({ method: 'GET', path: recordPath('tasks', id), ...options })

  const patch = (id: string, body: UpdateTaskBody, options: VersionOptions): Promise<Task> =>
    transport.fetchData({
      method: 'PATCH',
      path: recordPath('tasks', id),
      body,
      headers: versionHeaders(options),
      ...options,
    })

  return {
    create: (task: CreateTaskBody, options: PostOptions = {}): Promise<Task> =>
      transport.fetchData({ method: 'POST', path: '/v1/tasks', body: task, ...options }),
    get,
    /** The task as it was, without its claim and counts. */
    getVersion: async (id: string, version: number, options: CallOptions = {}): Promise<TaskVersion> =>
      transport.fetchData({ method: 'GET', path: recordPath('tasks', id), query: { version }, ...options }),
    /** Changes of the task, newest first. */
    history: (id: string, query: GetTaskHistoryQuery = {}, options: CallOptions = {}): Listing<GetTaskHistoryAnswer> =>
      createListing(transport, recordPath('tasks', id, 'history'), query, options),
    list: (filters: TaskFilters = {}, options: CallOptions = {}): Listing<ListTasksAnswer> =>
      createListing(transport, '/v1/tasks', filters, options),
    /** Tasks without their long texts, up to 1,000 a page, as for a board. */
    cards: (filters: TaskCardFilters = {}, options: CallOptions = {}): Listing<ListTaskCardsAnswer> =>
      createListing(transport, '/v1/tasks/cards', filters, options),
    /** How many tasks there are in each status. */
    counts: (filters: TaskCountFilters = {}, options: CallOptions = {}): Promise<TaskCounts> =>
      transport.fetchData({ method: 'GET', path: '/v1/tasks/counts', query: filters, ...options }),
    /** The best first. */
    search: (q: string, filters: TaskSearchFilters = {}, options: CallOptions = {}): Listing<SearchTasksAnswer> =>
      createListing(transport, '/v1/tasks/search', { q, ...filters }, options),
    /** Tasks on the same subject, the best first. */
    similar: (
      id: string,
      query: SimilarTasksQuery = {},
      options: CallOptions = {},
    ): Promise<SimilarTasksAnswer['data']> =>
      transport.fetchData({ method: 'GET', path: `${recordPath('tasks', id)}/similar`, query, ...options }),
    /** Changes the fields given; a function of the task as it is runs again until no one else came between. */
    update: async (
      id: string,
      change: UpdateTaskBody | Change<Task, UpdateTaskBody>,
      options: VersionOptions = {},
    ): Promise<Task> =>
      typeof change === 'function'
        ? updateByFunction(
            () => get(id, options),
            change,
            (body, task) => patch(id, body, { ...options, ifMatch: task }),
            options.signal,
          )
        : patch(id, change, options),
    delete: async (id: string, { force, ...options }: TaskDeleteOptions = {}) =>
      remove(transport, recordPath('tasks', id), { id }, options, { force }),
    /** Moves the task and its subtasks to another project, by its id or key; their ids stay. */
    move: (id: string, projectId: string, options: PostOptions = {}): Promise<Task> =>
      transport.fetchData({ method: 'POST', path: recordPath('tasks', id, 'move'), body: { projectId }, ...options }),
    /** Orders the task among those of its project: `sort: 'rank'` lists them so. */
    rank: (id: string, place: RankTaskBody, options: PostOptions = {}): Promise<Task> =>
      transport.fetchData({ method: 'POST', path: recordPath('tasks', id, 'rank'), body: place, ...options }),
    /** Claims the best task that is ready; null where there is none, after `waitSeconds` if given. */
    next: async ({ onLost, ...request }: NextRequest = {}, options: PostOptions = {}): Promise<HeldClaim | null> => {
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
    /** The task that `next` would claim. */
    peek: (filters: NextFilters = {}, options: PostOptions = {}): Promise<Task | null> =>
      transport.fetchData({ method: 'POST', path: nextPath, body: { ...filters, peek: true }, ...options }),
    /** Claims a task by its id. Refused with a ConflictError whose `reason` is `claimed`, `blocked` or `closed`. */
    claim: async (
      id: string,
      { onLost, ...request }: ClaimRequest = {},
      options: PostOptions = {},
    ): Promise<HeldClaim> => {
      const askedAtMs = Date.now()
      const path = recordPath('tasks', id, 'claim')
      const answer = await transport.send<ClaimTaskAnswer>({ method: 'POST', path, body: request, ...options })
      return createHeldClaim(transport, viewOf, answer.data, askedAtMs, { onLost, context: answer.context })
    },
    /**
     * Asks about a task and waits, over restarts of the service too, until the question is answered or withdrawn: `answer`
     * of what it gives is the answer. After `waitSeconds`, or where the signal aborts, the question stays open.
     */
    ask: async (id: string, question: AskQuestionBody, options: AnswerOptions = {}): Promise<Question> => {
      const { waitSeconds, idempotencyKey, ...rest } = options
      const questions = createQuestions(transport)
      const asked = await questions.create(id, question, { idempotencyKey, ...rest })
      return asked.state === 'open' ? questions.wait(asked.id, { waitSeconds, ...rest }) : asked
    },
    /** Decides a check; everything but `open` takes evidence. Refused with a ForbiddenError whose `reason` is `verifier`. */
    decideCheck: async (
      id: string,
      checkId: string,
      decision: DecideCheckBody,
      options: VersionOptions & PostOptions = {},
    ): Promise<Task> =>
      transport.fetchData({
        method: 'POST',
        path: recordPath('tasks', id, 'checks', checkId),
        body: decision,
        headers: versionHeaders(options),
        ...options,
      }),
    /** What a worker on the task needs before it begins, in no more than `budgetTokens`. */
    context: (id: string, query: GetTaskContextQuery = {}, options: CallOptions = {}): Promise<Context> =>
      transport.fetchData({ method: 'GET', path: recordPath('tasks', id, 'context'), query, ...options }),
    /** The knowledge that was read under claims of the task, the newest reads first. */
    basis: (id: string, query: ListBasisQuery = {}, options: CallOptions = {}): Listing<ListBasisAnswer> =>
      createListing(transport, recordPath('tasks', id, 'basis'), query, options),
    /** Clears `stale`: what was relied on no longer holds, and the task is good all the same. */
    acceptStale: (id: string, options: PostOptions = {}): Promise<Task> =>
      transport.fetchData({ method: 'POST', path: recordPath('tasks', id, 'stale', 'accept'), ...options }),
    comments: (id: string) => createComments(transport, id),
  }
}

export type Tasks = ReturnType<typeof createTasks>
