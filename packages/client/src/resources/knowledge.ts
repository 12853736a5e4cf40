import { knowledgePath } from '../address.js'
import { PreconditionFailedError } from '../errors.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { type Removed, remove } from '../removal.js'
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
import { type Updater, updateByFunction, type VersionOptions, versionHeaders } from '../versions.js'

export interface ItemOptions extends CallOptions {
  /**
   * Selects the item of this project. By default, the tenant-wide item is used, or if there is none, the item of the only
   * project that has the key.
   */
  projectId?: string | undefined
}

export interface PutOptions extends VersionOptions {
  /** Only creates: fails with a PreconditionFailedError if the item exists. */
  ifNoneMatch?: '*' | undefined
}

/** The version of an item that a verdict applies to. */
export type JudgedItem = Pick<KnowledgeItem, 'key' | 'projectId' | 'version'>

export interface VerdictOptions extends PostOptions {
  /** What was checked, or what is wrong. */
  note?: string | undefined
}

export interface RetractOptions extends PostOptions, Pick<ItemOptions, 'projectId'> {}

/** An item written with `checkDuplicates`, and items of its namespace on the same subject. */
export type CheckedItem = KnowledgeItem & { similar: SimilarKnowledgeItem[] }

/** An item listed with `fields: 'key'`. */
export type KnowledgeKey = Omit<KnowledgeItem, 'content'>

export type KnowledgeSearchFilters = Omit<SearchKnowledgeQuery, 'q'>

type PageOf<T> = Omit<ListKnowledgeAnswer, 'data'> & { data: T[] }

export interface Knowledge {
  get(key: string, options?: ItemOptions): Promise<KnowledgeItem>
  /** Returns an item at an old version. */
  getVersion(key: string, version: number, options?: ItemOptions): Promise<KnowledgeItem>
  /** Creates an item or replaces its content. Fields that the body does not name stay unchanged. */
  put(key: string, body: PutKnowledgeBody & { checkDuplicates: true }, options?: PutOptions): Promise<CheckedItem>
  put(key: string, body: PutKnowledgeBody, options?: PutOptions): Promise<KnowledgeItem>
  /** Changes only the given fields. */
  patch(key: string, changes: PatchKnowledgeBody, options?: ItemOptions & VersionOptions): Promise<KnowledgeItem>
  /** Writes what `change` returns for the current item, and runs it again if somebody else changed the item meanwhile. */
  update(key: string, change: Updater<KnowledgeItem, PatchKnowledgeBody>, options?: ItemOptions): Promise<KnowledgeItem>
  /** Lists items, sorted by key. */
  list(filters: ListKnowledgeQuery & { fields: 'key' }, options?: CallOptions): Listing<PageOf<KnowledgeKey>>
  list(filters?: ListKnowledgeQuery & { fields?: undefined }, options?: CallOptions): Listing<PageOf<KnowledgeItem>>
  /** Searches items, best match first. */
  search(q: string, filters?: KnowledgeSearchFilters, options?: CallOptions): Listing<SearchKnowledgeAnswer>
  /** Lists the tasks that relied on an item, then the items written under their claims. */
  dependents(
    key: string,
    query?: Omit<ListDependentsQuery, 'key'>,
    options?: CallOptions,
  ): Listing<ListDependentsAnswer>
  /** Clears the `stale` marks of an item that is still right although something it relied on is not. */
  acceptStale(key: string, options?: ItemOptions & PostOptions): Promise<KnowledgeItem>
  /** Moves an item to another key or project; with `recursive`, everything below it too. */
  move(move: MoveKnowledgeBody, options?: PostOptions): Promise<MovedKnowledgeItem[]>
  /** Verifies this version. Its author gets a ForbiddenError with the reason `verifier`. */
  verify(item: JudgedItem, options?: VerdictOptions): Promise<KnowledgeItem>
  /** Disputes this version. */
  dispute(item: JudgedItem, options?: VerdictOptions): Promise<KnowledgeItem>
  /** Verifies or disputes an item, or withdraws the verdict with `unreviewed`. */
  judge(verdict: JudgeKnowledgeBody, options?: PostOptions): Promise<KnowledgeItem>
  /** Retracts an item, which stays readable. A null reason cancels the retraction. */
  retract(key: string, reason: string | null, options?: RetractOptions): Promise<KnowledgeItem>
  /** Lists the links of an item, or the links to an item or a task. */
  links(query: ListLinksQuery, options?: CallOptions): Listing<ListLinksAnswer>
  delete(key: string, options?: ItemOptions & VersionOptions): Promise<Removed<{ key: string }>>
}

/** Reports whether an item has the fields that a write named. Null clears lists too. */
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

export const createKnowledge = (transport: Transport): Knowledge => {
  const get: Knowledge['get'] = async (key, { projectId, ...options } = {}) =>
    transport.fetchData({ method: 'GET', path: knowledgePath(key), query: { projectId }, ...options })

  /**
   * Finds out whether a conditional write, which failed with 412 when it was repeated after a lost response, had succeeded
   * the first time. It had if the item has our content and fields at the next version. It had not if the content differs.
   * If only fields differ, that is unknown, because the service may have normalized them.
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
      if (!(error instanceof PreconditionFailedError) || error.reason !== 'version') throw error
      // After a lost response, this same write may have caused the mismatch.
      if (!error.isAfterLostAnswer) throw error
      const item = await settle(error, key, body, options)
      return body.checkDuplicates ? { ...item, similar: [] } : item
    }
  }) as Knowledge['put']

  const judge: Knowledge['judge'] = (body, options) =>
    transport.fetchData({ method: 'POST', path: '/v1/knowledge/verdict', body, ...options })

  const judgeAs =
    (trust: JudgeKnowledgeBody['trust']): Knowledge['verify'] =>
    ({ key, projectId, version }, { note, ...options } = {}) =>
      judge({ key, projectId: projectId ?? undefined, version, trust, note }, options)

  return {
    get,
    getVersion: async (key, version, { projectId, ...options } = {}) =>
      transport.fetchData({ method: 'GET', path: knowledgePath(key), query: { projectId, version }, ...options }),
    put,
    patch: async (key, body, { projectId, ...options } = {}) =>
      transport.fetchData({
        method: 'PATCH',
        path: knowledgePath(key),
        query: { projectId },
        body,
        headers: versionHeaders(options),
        ...options,
      }),
    update: async (key, change, options = {}) =>
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
      createListing(transport, '/v1/knowledge', filters, options)) as Knowledge['list'],
    search: (q, filters = {}, options = {}) =>
      createListing(transport, '/v1/knowledge/search', { q, ...filters }, options),
    dependents: (key, query = {}, options = {}) =>
      createListing(transport, '/v1/dependents', { key, ...query }, options),
    acceptStale: (key, { projectId, ...options } = {}) =>
      transport.fetchData({
        method: 'POST',
        path: '/v1/knowledge/stale/accept',
        body: { key, projectId },
        ...options,
      }),
    move: (body, options) => transport.fetchData({ method: 'POST', path: '/v1/knowledge/move', body, ...options }),
    verify: judgeAs('verified'),
    dispute: judgeAs('disputed'),
    judge,
    retract: (key, reason, { projectId, ...options } = {}) =>
      transport.fetchData({
        method: 'POST',
        path: '/v1/knowledge/retract',
        body: { key, projectId, reason },
        ...options,
      }),
    links: (query, options = {}) => createListing(transport, '/v1/links', query, options),
    delete: async (key, { projectId, ...options } = {}) =>
      remove(transport, knowledgePath(key), { key }, options, { projectId }),
  }
}
