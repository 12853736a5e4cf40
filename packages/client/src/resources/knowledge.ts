import { knowledgePath } from '../address.js'
import { PreconditionFailedError } from '../errors.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions } from '../options.js'
import { remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type { KnowledgeItem, ListKnowledgeQuery, PutKnowledgeBody } from '../types.gen.js'
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

export interface KnowledgeHit {
  key: string
  content: string
  /** 0 to 1; higher is closer. */
  score: number
  projectId: string | null
  updatedAt: string
  /** The best passage, as HTML with `<mark>` around what matched. */
  snippet: string
}

export interface KnowledgeSearchFilters {
  projectId?: string | undefined
  /** Tenant-wide items too, beside the project's. */
  includeTenant?: boolean | undefined
  prefix?: string | undefined
  limit?: number | undefined
  minScore?: number | undefined
}

interface ListKnowledge {
  (filters: ListKnowledgeQuery & { fields: 'key' }, options?: CallOptions): Listing<KnowledgeKey>
  (filters?: ListKnowledgeQuery & { fields?: undefined }, options?: CallOptions): Listing<KnowledgeItem>
}

export const createKnowledge = (transport: Transport) => {
  const get = async (key: string, { projectId, ...options }: ItemOptions = {}): Promise<KnowledgeItem> =>
    transport.fetchData({ method: 'GET', path: knowledgePath(key), query: { projectId }, ...options })

  /** Whether the item as it is now is what a repeated write would have made of it. */
  const isOwnWrite = (item: KnowledgeItem, body: PutKnowledgeBody, { ifMatch }: PutOptions): boolean => {
    const before = typeof ifMatch === 'object' ? ifMatch.version : ifMatch
    return item.content === body.content && (before === undefined || item.version === before + 1)
  }

  const put = async (key: string, body: PutKnowledgeBody, options: PutOptions = {}): Promise<KnowledgeItem> => {
    const { ifNoneMatch } = options
    const headers = { ...versionHeaders(options), ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }) }
    try {
      return await transport.fetchData({ method: 'PUT', path: knowledgePath(key), body, headers, ...options })
    } catch (error) {
      if (!(error instanceof PreconditionFailedError && error.isAfterLostAnswer)) throw error
      const scope = body.projectId ? { projectId: body.projectId } : {}
      const item = await get(key, { ...options, ...scope })
      if (isOwnWrite(item, body, options)) return item
      throw error
    }
  }

  return {
    get,
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
    ): Listing<KnowledgeHit, undefined> => createListing(transport, '/v1/knowledge/search', { q, ...filters }, options),
    delete: async (key: string, { projectId, ...options }: ItemOptions & VersionOptions = {}) =>
      remove(transport, knowledgePath(key), { key }, options, { projectId }),
  }
}

export type Knowledge = ReturnType<typeof createKnowledge>
