import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { type Removed, remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
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
import { type Updater, updateByFunction, type VersionOptions, versionHeaders } from '../versions.js'
import { type Comments, createComments } from './comments.js'

type AnyOf<T> = T | readonly T[]
type ListedFilters = 'id' | 'projectId' | 'status' | 'assignee' | 'priority' | 'label'

/** Filters that accept one value or several, any of which may match. */
interface AnyOfFilters {
  id?: AnyOf<string> | undefined
  /** IDs or keys. */
  projectId?: AnyOf<string> | undefined
  status?: AnyOf<Task['status']> | undefined
  /** User IDs, `me` for the key's user, or `none` for unassigned tasks. */
  assignee?: AnyOf<string> | undefined
  priority?: AnyOf<Task['priority']> | undefined
  label?: AnyOf<string> | undefined
}

export type TaskFilters = Omit<ListTasksQuery, ListedFilters> & AnyOfFilters
export type TaskCardFilters = Omit<ListTaskCardsQuery, ListedFilters> & AnyOfFilters
export type TaskCountFilters = Omit<CountTasksQuery, ListedFilters> & AnyOfFilters
export type TaskSearchFilters = Omit<SearchTasksQuery, ListedFilters | 'q'> & AnyOfFilters

export interface TaskDeleteOptions extends VersionOptions {
  /** Deletes the task's subtasks too. */
  force?: boolean | undefined
}

/** Reads and writes of tasks that need no claim. */
export interface TaskRecords {
  create(task: CreateTaskBody, options?: PostOptions): Promise<Task>
  get(id: string, options?: CallOptions): Promise<Task>
  /** Returns a task at an old version, without its claim and counts. */
  getVersion(id: string, version: number, options?: CallOptions): Promise<TaskVersion>
  /** Lists the changes of a task, newest first. */
  history(id: string, query?: GetTaskHistoryQuery, options?: CallOptions): Listing<GetTaskHistoryAnswer>
  list(filters?: TaskFilters, options?: CallOptions): Listing<ListTasksAnswer>
  /** Lists tasks without their long texts, up to 1,000 a page, for a board. */
  cards(filters?: TaskCardFilters, options?: CallOptions): Listing<ListTaskCardsAnswer>
  /** Counts the tasks in each status. */
  counts(filters?: TaskCountFilters, options?: CallOptions): Promise<TaskCounts>
  /** Searches tasks, best match first. */
  search(q: string, filters?: TaskSearchFilters, options?: CallOptions): Listing<SearchTasksAnswer>
  /** Returns tasks on the same subject, best match first. */
  similar(id: string, query?: SimilarTasksQuery, options?: CallOptions): Promise<SimilarTasksAnswer['data']>
  /** Changes the given fields. A function receives the current task, and runs again if somebody else changed it meanwhile. */
  update(id: string, change: UpdateTaskBody | Updater<Task, UpdateTaskBody>, options?: VersionOptions): Promise<Task>
  delete(id: string, options?: TaskDeleteOptions): Promise<Removed>
  /** Moves a task and its subtasks to another project, named by id or key. Their ids do not change. */
  move(id: string, projectId: string, options?: PostOptions): Promise<Task>
  /** Sets the position of a task in the manual order of its project. Use `sort: 'rank'` to list in that order. */
  rank(id: string, position: RankTaskBody, options?: PostOptions): Promise<Task>
  /**
   * Decides a check. Every state but `open` needs evidence. Fails with a ForbiddenError with the reason `verifier` if
   * somebody else must decide it.
   */
  decideCheck(
    id: string,
    checkId: string,
    decision: DecideCheckBody,
    options?: VersionOptions & PostOptions,
  ): Promise<Task>
  /** Returns what a worker needs before it starts on a task, in at most `budgetTokens`. */
  context(id: string, query?: GetTaskContextQuery, options?: CallOptions): Promise<Context>
  /** Lists the knowledge read under claims of a task, newest reads first. */
  basis(id: string, query?: ListBasisQuery, options?: CallOptions): Listing<ListBasisAnswer>
  /** Clears the `stale` marks of a task that is still right although something it relied on is not. */
  acceptStale(id: string, options?: PostOptions): Promise<Task>
  comments(id: string): Comments
}

export const createTaskRecords = (transport: Transport): TaskRecords => {
  const get: TaskRecords['get'] = async (id, options) =>
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
    create: (body, options) => transport.fetchData({ method: 'POST', path: '/v1/tasks', body, ...options }),
    get,
    getVersion: async (id, version, options) =>
      transport.fetchData({ method: 'GET', path: recordPath('tasks', id), query: { version }, ...options }),
    history: (id, query = {}, options = {}) =>
      createListing(transport, recordPath('tasks', id, 'history'), query, options),
    list: (filters = {}, options = {}) => createListing(transport, '/v1/tasks', filters, options),
    cards: (filters = {}, options = {}) => createListing(transport, '/v1/tasks/cards', filters, options),
    counts: (query = {}, options = {}) =>
      transport.fetchData({ method: 'GET', path: '/v1/tasks/counts', query, ...options }),
    search: (q, filters = {}, options = {}) => createListing(transport, '/v1/tasks/search', { q, ...filters }, options),
    similar: (id, query = {}, options = {}) =>
      transport.fetchData({ method: 'GET', path: `${recordPath('tasks', id)}/similar`, query, ...options }),
    update: async (id, change, options = {}) =>
      typeof change === 'function'
        ? updateByFunction(
            () => get(id, options),
            change,
            (body, task) => patch(id, body, { ...options, ifMatch: task }),
            options.signal,
          )
        : patch(id, change, options),
    delete: async (id, { force, ...options } = {}) =>
      remove(transport, recordPath('tasks', id), { id }, options, { force }),
    move: (id, projectId, options) =>
      transport.fetchData({ method: 'POST', path: recordPath('tasks', id, 'move'), body: { projectId }, ...options }),
    rank: (id, body, options) =>
      transport.fetchData({ method: 'POST', path: recordPath('tasks', id, 'rank'), body, ...options }),
    decideCheck: async (id, checkId, body, options = {}) =>
      transport.fetchData({
        method: 'POST',
        path: recordPath('tasks', id, 'checks', checkId),
        body,
        headers: versionHeaders(options),
        ...options,
      }),
    context: (id, query = {}, options = {}) =>
      transport.fetchData({ method: 'GET', path: recordPath('tasks', id, 'context'), query, ...options }),
    basis: (id, query = {}, options = {}) => createListing(transport, recordPath('tasks', id, 'basis'), query, options),
    acceptStale: (id, options) =>
      transport.fetchData({ method: 'POST', path: recordPath('tasks', id, 'stale', 'accept'), ...options }),
    comments: (id) => createComments(transport, id),
  }
}
