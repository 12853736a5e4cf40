import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
  CreateTaskBody,
  ListTasksAnswer,
  ListTasksQuery,
  SearchTasksAnswer,
  SearchTasksQuery,
  Task,
  UpdateTaskBody,
} from '../types.gen.js'
import { type Change, updateByFunction, type VersionOptions, versionHeaders } from '../versions.js'

type AnyOf<T> = T | readonly T[]
type ListedFilters = 'projectId' | 'status' | 'assignee' | 'priority' | 'label'

/** Each of the filters takes one value or several, which means any of them. */
interface AnyOfFilters {
  /** By id or key. */
  projectId?: AnyOf<string> | undefined
  status?: AnyOf<Task['status']> | undefined
  /** User ids, or `none` for tasks of no one. */
  assignee?: AnyOf<string> | undefined
  priority?: AnyOf<Task['priority']> | undefined
  label?: AnyOf<string> | undefined
}

export type TaskFilters = Omit<ListTasksQuery, ListedFilters> & AnyOfFilters
export type TaskSearchFilters = Omit<SearchTasksQuery, ListedFilters | 'q'> & AnyOfFilters

export const createTasks = (transport: Transport) => {
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
    list: (filters: TaskFilters = {}, options: CallOptions = {}): Listing<ListTasksAnswer> =>
      createListing(transport, '/v1/tasks', filters, options),
    /** The best first. */
    search: (q: string, filters: TaskSearchFilters = {}, options: CallOptions = {}): Listing<SearchTasksAnswer> =>
      createListing(transport, '/v1/tasks/search', { q, ...filters }, options),
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
    delete: async (id: string, options: VersionOptions = {}) =>
      remove(transport, recordPath('tasks', id), { id }, options),
  }
}

export type Tasks = ReturnType<typeof createTasks>
