import { knowledgePath } from '../address.js'
import { PreconditionFailedError } from '../errors.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
  JudgeKnowledgeBody,
  KnowledgeItem,
  ListDependentsAnswer,
  ListDependentsQuery,
  ListKnowledgeAnswer,
  ListKnowledgeQuery,
  ListLinksAnswer,
  ListLinksQuery,
  MovedKnowledgeItem,
  MoveKnowledgeBody,
  PatchKnowledgeBody,
  PutKnowledgeBody,
  SearchKnowledgeAnswer,
  SearchKnowledgeQuery,
  SimilarKnowledgeItem,
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

/** An item as it was read: the verdict is on this version. */
export type JudgedItem = Pick<KnowledgeItem, 'key' | 'projectId' | 'version'>

export interface VerdictOptions extends PostOptions {
  /** What was checked, or what is wrong. */
  note?: string | undefined
}

export interface RetractOptions extends PostOptions, Pick<ItemOptions, 'projectId'> {}

/** What a put with `checkDuplicates` gives: the item, and items of the same place on the same subject. */
export type CheckedItem = KnowledgeItem & { similar: SimilarKnowledgeItem[] }

interface PutKnowledge {
  (key: string, body: PutKnowledgeBody & { checkDuplicates: true }, options?: PutOptions): Promise<CheckedItem>
  (key: string, body: PutKnowledgeBody, options?: PutOptions): Promise<KnowledgeItem>
}

/** As listed with `fields: 'key'`. */
export type KnowledgeKey = Omit<KnowledgeItem, 'content'>

export type KnowledgeSearchFilters = Omit<SearchKnowledgeQuery, 'q'>

type PageOf<T> = Omit<ListKnowledgeAnswer, 'data'> & { data: T[] }

interface ListKnowledge {
  (filters: ListKnowledgeQuery & { fields: 'key' }, options?: CallOptions): Listing<PageOf<KnowledgeKey>>
  (filters?: ListKnowledgeQuery & { fields?: undefined }, options?: CallOptions): Listing<PageOf<KnowledgeItem>>
}

/** Whether an item has the fields that a write named. Null clears a list, too. */
const hasFields = (item: KnowledgeItem, { metadata = {}, ...fields }: PatchKnowledgeBody): boolean => {
  const textOf = (value: unknown): string => {
    const json = JSON.stringify(value ?? null)
    return json === '[]' ? 'null' : json
  }
  const isSame = (record: object, wanted: object): boolean =>
    Object.entries(wanted).every(
      ([name, value]) => value === undefined || textOf(record[name as never]) === textOf(value),
    )
  const isSameMetadata = metadata === null ? textOf(item.metadata) === '{}' : isSame(item.metadata, metadata)
  return isSame(item, fields) && isSameMetadata
}

export const createKnowledge = (transport: Transport) => {
  const get = async (key: string, { projectId, ...options }: ItemOptions = {}): Promise<KnowledgeItem> =>
    transport.fetchData({ method: 'GET', path: knowledgePath(key), query: { projectId }, ...options })

  /**
   * A repeated conditional write meets 412 where the attempt whose answer was lost had been made. The item as it is now
   * tells: with our content and fields at the next version it is our own write; with another content, ours was not
   * made. Fields alone do not tell: the service may have stored ours in another form.
   */
  const settle = async (
    error: PreconditionFailedError,
    key: string,
    { projectId, checkDuplicates: _, ...fields }: PutKnowledgeBody,
    { ifMatch, ...options }: PutOptions,
  ): Promise<KnowledgeItem> => {
    const item = await get(key, { ...options, projectId: projectId ?? undefined })
    const before = typeof ifMatch === 'object' ? ifMatch.version : ifMatch
    const isNext = before === undefined || item.version === before + 1
    if (isNext && hasFields(item, fields)) return item
    error.isAfterLostAnswer = !isNext || item.content === fields.content
    throw error
  }

  const put = (async (key: string, body: PutKnowledgeBody, options: PutOptions = {}) => {
    const { ifNoneMatch } = options
    const headers = { ...versionHeaders(options), ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }) }
    try {
      const request = { method: 'PUT' as const, path: knowledgePath(key), body, headers, ...options }
      const { data, similar = [] } = await transport.send<{ data: KnowledgeItem; similar?: unknown[] }>(request)
      return body.checkDuplicates ? { ...data, similar } : data
    } catch (error) {
      const mayBeOwnWrite = error instanceof PreconditionFailedError && error.isAfterLostAnswer && !error.reason
      if (!mayBeOwnWrite) throw error
      const item = await settle(error, key, body, options)
      return body.checkDuplicates ? { ...item, similar: [] } : item
    }
  }) as PutKnowledge

  const judge = (verdict: JudgeKnowledgeBody, options: PostOptions = {}): Promise<KnowledgeItem> =>
    transport.fetchData({ method: 'POST', path: '/v1/knowledge/verdict', body: verdict, ...options })

  const judgeAs =
    (trust: JudgeKnowledgeBody['trust']) =>
    ({ key, projectId, version }: JudgedItem, { note, ...options }: VerdictOptions = {}): Promise<KnowledgeItem> =>
      judge({ key, projectId: projectId ?? undefined, version, trust, note }, options)

  return {
    get,
    /** The item as it was. */
    getVersion: async (
      key: string,
      version: number,
      { projectId, ...options }: ItemOptions = {},
    ): Promise<KnowledgeItem> =>
      transport.fetchData({ method: 'GET', path: knowledgePath(key), query: { projectId, version }, ...options }),
    /** Creates the item or replaces its content. Other fields that the body does not name stay as they are. */
    put,
    /** Changes the fields given, and nothing else. */
    patch: async (
      key: string,
      changes: PatchKnowledgeBody,
      { projectId, ...options }: ItemOptions & VersionOptions = {},
    ): Promise<KnowledgeItem> =>
      transport.fetchData({
        method: 'PATCH',
        path: knowledgePath(key),
        query: { projectId },
        body: changes,
        headers: versionHeaders(options),
        ...options,
      }),
    /** Writes what a function of the item as it is gives, again until no one else came between. */
    update: async (
      key: string,
      change: Change<KnowledgeItem, PatchKnowledgeBody>,
      options: ItemOptions = {},
    ): Promise<KnowledgeItem> =>
      updateByFunction(
        () => get(key, options),
        change,
        ({ content, ...fields }, item) => {
          const { projectId: _, ...rest } = options
          const body = { ...fields, content: content ?? item.content, projectId: item.projectId }
          return put(key, body, { ...rest, ifMatch: item })
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
    /** Says that the version that was read is right. Whoever wrote it gets a ForbiddenError with `reason` `verifier`. */
    verify: judgeAs('verified'),
    /** Says that the version that was read is wrong. */
    dispute: judgeAs('disputed'),
    /** Verifies or disputes an item, or takes that back with `unreviewed`. */
    judge,
    /** Withdraws an item, which stays readable; null as the reason takes that back. */
    retract: (
      key: string,
      reason: string | null,
      { projectId, ...options }: RetractOptions = {},
    ): Promise<KnowledgeItem> =>
      transport.fetchData({
        method: 'POST',
        path: '/v1/knowledge/retract',
        body: { key, projectId, reason },
        ...options,
      }),
    /** What an item links to, or what links to an item or a task. */
    links: (query: ListLinksQuery, options: CallOptions = {}): Listing<ListLinksAnswer> =>
      createListing(transport, '/v1/links', query, options),
    delete: async (key: string, { projectId, ...options }: ItemOptions & VersionOptions = {}) =>
      remove(transport, knowledgePath(key), { key }, options, { projectId }),
  }
}

export type Knowledge = ReturnType<typeof createKnowledge>
