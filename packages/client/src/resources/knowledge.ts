import { knowledgePath } from '../address.js'
import { PreconditionFailedError } from '../errors.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
  KnowledgeItem,
  ListDependentsAnswer,
  ListDependentsQuery,
  ListKnowledgeAnswer,
  ListKnowledgeQuery,
  MovedKnowledgeItem,
  MoveKnowledgeBody,
  PutKnowledgeBody,
  SearchKnowledgeAnswer,
  SearchKnowledgeQuery,
} from '../types.gen.js'
import { type Change, updateByFunction, type VersionOptions, versionHeaders } from '../versions.js'

export interface ItemOptions extends CallOptions {
  /** That project's item and no other; without it the tenant-wide one, or the only project's. */
  projectId?: string | undefined
}

export interface PutOptions extends VersionOptions {
  /** Only create: an item that is there already is a PreconditionFailedError. */
  ifNoneMatch?: '*' | undefined
}

/** As listed with `fields: 'key'`. */
export type KnowledgeKey = Omit<KnowledgeItem, 'content'>

export type KnowledgeSearchFilters = Omit<SearchKnowledgeQuery, 'q'>

type PageOf<T> = Omit<ListKnowledgeAnswer, 'data'> & { data: T[] }

interface ListKnowledge {
  (filters: ListKnowledgeQuery & { fields: 'key' }, options?: CallOptions): Listing<PageOf<KnowledgeKey>>
  (filters?: ListKnowledgeQuery & { fields?: undefined }, options?: CallOptions): Listing<PageOf<KnowledgeItem>>
}

export const createKnowledge = (transport: Transport) => {
  const get = async (key: string, { projectId, ...options }: ItemOptions = {}): Promise<KnowledgeItem> =>
    transport.fetchData({ method: 'GET', path: knowledgePath(key), query: { projectId }, ...options })

  /**
   * A repeated conditional write meets 412 where the attempt whose answer was lost had been made. The item as it is now
   * tells: with our content at the next version it is our own write; with another's, ours was not made.
   */
  const settle = async (
    error: PreconditionFailedError,
    key: string,
    body: PutKnowledgeBody,
    { ifMatch, ...options }: PutOptions,
  ): Promise<KnowledgeItem> => {
    const item = await get(key, { ...options, projectId: body.projectId ?? undefined })
    const before = typeof ifMatch === 'object' ? ifMatch.version : ifMatch
    const isNext = before === undefined || item.version === before + 1
    if (isNext && item.content === body.content) return item
    error.isAfterLostAnswer = !isNext
    throw error
  }

  const put = async (key: string, body: PutKnowledgeBody, options: PutOptions = {}): Promise<KnowledgeItem> => {
    const { ifNoneMatch } = options
    const headers = { ...versionHeaders(options), ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }) }
    try {
      return await transport.fetchData({ method: 'PUT', path: knowledgePath(key), body, headers, ...options })
    } catch (error) {
      const mayBeOwnWrite = error instanceof PreconditionFailedError && error.isAfterLostAnswer && !error.reason
      if (mayBeOwnWrite) return settle(error, key, body, options)
      throw error
    }
  }

  return {
    get,
    /** The item as it was. */
    getVersion: async (
      key: string,
      version: number,
      { projectId, ...options }: ItemOptions = {},
    ): Promise<KnowledgeItem> =>
      transport.fetchData({ method: 'GET', path: knowledgePath(key), query: { projectId, version }, ...options }),
    /** Creates the item or replaces its content. */
    put,
    /** Puts what a function of the item as it is gives, again until no one else came between. */
    update: async (
      key: string,
      change: Change<KnowledgeItem, { content: string }>,
      options: ItemOptions = {},
    ): Promise<KnowledgeItem> =>
      updateByFunction(
        () => get(key, options),
        change,
        ({ content }, item) => {
          const { projectId: _, ...rest } = options
          return put(key, { content, projectId: item.projectId }, { ...rest, ifMatch: item })
        },
        options.signal,
      ),
    list: ((filters: ListKnowledgeQuery = {}, options: CallOptions = {}) =>
      createListing(transport, '/v1/knowledge', filters, options)) as ListKnowledge,
    /** The best first. */
    search: (
      q: string,
      filters: KnowledgeSearchFilters = {},
      options: CallOptions = {},
    ): Listing<SearchKnowledgeAnswer> => createListing(transport, '/v1/knowledge/search', { q, ...filters }, options),
    /** Tasks that relied on an item, then the items that were written under their claims. */
    dependents: (
      key: string,
      query: Omit<ListDependentsQuery, 'key'> = {},
      options: CallOptions = {},
    ): Listing<ListDependentsAnswer> => createListing(transport, '/v1/dependents', { key, ...query }, options),
    /** Clears `stale` of an item: what it relied on no longer holds, and it is good all the same. */
    acceptStale: (key: string, { projectId, ...options }: ItemOptions & PostOptions = {}): Promise<KnowledgeItem> =>
      transport.fetchData({
        method: 'POST',
        path: '/v1/knowledge/stale/accept',
        body: { key, projectId },
        ...options,
      }),
    /** Gives an item another key, or another project; with `recursive` everything below it too. */
    move: (move: MoveKnowledgeBody, options: PostOptions = {}): Promise<MovedKnowledgeItem[]> =>
      transport.fetchData({ method: 'POST', path: '/v1/knowledge/move', body: move, ...options }),
    delete: async (key: string, { projectId, ...options }: ItemOptions & VersionOptions = {}) =>
      remove(transport, knowledgePath(key), { key }, options, { projectId }),
  }
}

export type Knowledge = ReturnType<typeof createKnowledge>
