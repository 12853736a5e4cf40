import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { type Removed, remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
  Comment,
  CreateCommentBody,
  ListCommentsAnswer,
  ListCommentsQuery,
  UpdateCommentBody,
} from '../types.gen.js'
import { type VersionOptions, versionHeaders } from '../versions.js'

/** The comments of one task. */
export interface Comments {
  create(comment: CreateCommentBody, options?: PostOptions): Promise<Comment>
  get(id: string, options?: CallOptions): Promise<Comment>
  /** Lists comments, oldest first. */
  list(query?: ListCommentsQuery, options?: CallOptions): Listing<ListCommentsAnswer>
  update(id: string, comment: UpdateCommentBody, options?: VersionOptions): Promise<Comment>
  delete(id: string, options?: VersionOptions): Promise<Removed>
}

export const createComments = (transport: Transport, taskId: string): Comments => {
  const pathOf = (...id: string[]): string => recordPath('tasks', taskId, 'comments', ...id)

  return {
    create: async (body, options) => transport.fetchData({ method: 'POST', path: pathOf(), body, ...options }),
    get: async (id, options) => transport.fetchData({ method: 'GET', path: pathOf(id), ...options }),
    list: (query = {}, options = {}) => createListing(transport, pathOf(), query, options),
    update: async (id, body, options = {}) =>
      transport.fetchData({ method: 'PATCH', path: pathOf(id), body, headers: versionHeaders(options), ...options }),
    delete: async (id, options) => remove(transport, pathOf(id), { id }, options),
  }
}
