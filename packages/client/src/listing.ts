import type { CallOptions } from './options.js'
import type { Transport } from './transport.js'
import type { CursorPagination } from './types.gen.js'

export interface Page<T, P = CursorPagination> {
  data: T[]
  pagination: P
}

/**
 * `await` it for one page, `for await` over it for every record, over `pages()` for every page. Nothing is sent before.
 */
export interface Listing<T, P = CursorPagination> extends Promise<Page<T, P>>, AsyncIterable<T> {
  pages(): AsyncIterableIterator<Page<T, P>>
}

interface Pagination {
  hasMore: boolean
  nextCursor?: string | null
  nextAfter?: number
  page?: number
}

/** A cursor stands in place of the page and of what belongs to it; what has none goes on by position or by page. */
const queryAfter = (pagination: Pagination | undefined, query: object): object | undefined => {
  if (!pagination?.hasMore) return undefined
  const { nextCursor, nextAfter, page } = pagination
  if (nextAfter !== undefined) return { ...query, after: nextAfter }
  if (nextCursor) return { ...query, page: undefined, total: undefined, cursor: nextCursor }
  return page === undefined ? undefined : { ...query, page: page + 1 }
}

export const createListing = <T, P extends Pagination | undefined = CursorPagination>(
  transport: Transport,
  path: string,
  query: object = {},
  options: CallOptions = {},
): Listing<T, P> => {
  const pageOf = (query: object): Promise<Page<T, P>> => transport.send({ method: 'GET', path, query, ...options })
  let first: Promise<Page<T, P>> | undefined
  const firstPage = (): Promise<Page<T, P>> => {
    first ??= pageOf(query)
    return first
  }

  async function* pages(): AsyncGenerator<Page<T, P>, void, undefined> {
    for (let at: object | undefined = query; at; ) {
      const page: Page<T, P> = await pageOf(at)
      yield page
      at = queryAfter(page.pagination, query)
    }
  }

  async function* records(): AsyncGenerator<T, void, undefined> {
    for await (const page of pages()) yield* page.data
  }

  return {
    [Symbol.toStringTag]: 'Listing',
    // biome-ignore lint/suspicious/noThenProperty: to be awaited is what it is for
    then: (onPage, onError) => firstPage().then(onPage, onError),
    catch: (onError) => firstPage().catch(onError),
    finally: (onEnd) => firstPage().finally(onEnd),
    pages,
    [Symbol.asyncIterator]: records,
  }
}
