import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
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
export const createComments = (transport: Transport, taskId: string) => {
  const pathOf = (...id: string[]): string => recordPath('tasks', taskId, 'comments', ...id)

  return {
    create: async (comment: CreateCommentBody, options: PostOptions = {}): Promise<Comment> =>
      transport.fetchData({ method: 'POST', path: pathOf(), body: comment, ...options }),
    get: async (id: string, options: CallOptions = {}): Promise<Comment> =>
      transport.fetchData({ method: 'GET', path: pathOf(id), ...options }),
    /** The oldest first. */
    list: (query: ListCommentsQuery = {}, options: CallOptions = {}): Listing<ListCommentsAnswer> =>
      createListing(transport, pathOf(), query, options),
    update: async (id: string, comment: UpdateCommentBody, options: VersionOptions = {}): Promise<Comment> =>
      transport.fetchData({
        method: 'PATCH',
        path: pathOf(id),
        body: comment,
        headers: versionHeaders(options),
        ...options,
      }),
    delete: async (id: string, options: VersionOptions = {}) => remove(transport, pathOf(id), { id }, options),
  }
}

export type Comments = ReturnType<typeof createComments>
