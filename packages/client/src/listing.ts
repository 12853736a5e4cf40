import type { CallOptions } from './options.js'
import type { Transport } from './transport.js'

/** What a list answers: a page of records, and where the next one is. */
export interface Page<T = unknown> {
  data: T[]
  pagination?: {
    hasMore: boolean
    nextCursor?: string | null
    nextAfter?: number
    page?: number
  }
}

type RecordOf<P extends Page> = P['data'][number]

/**
 * `await` it for one page, `for await` over it for every record, over `pages()` for every page. Nothing is sent before.
 */
export interface Listing<P extends Page> extends Promise<P>, AsyncIterable<RecordOf<P>> {
  pages(): AsyncIterableIterator<P>
}

/** A cursor stands in place of the page and of what belongs to it; what has none goes on by position or by page. */
const queryAfter = ({ pagination }: Page, query: object): object | undefined => {
  if (!pagination?.hasMore) return undefined
  const { nextCursor, nextAfter, page } = pagination
  if (nextAfter !== undefined) return { ...query, after: nextAfter }
  if (nextCursor) return { ...query, page: undefined, total: undefined, cursor: nextCursor }
  return page === undefined ? undefined : { ...query, page: page + 1 }
}

export const createListing = <P extends Page>(
  transport: Transport,
  path: string,
  query: object,
  options: CallOptions,
): Listing<P> => {
  const pageOf = (query: object): Promise<P> => transport.send({ method: 'GET', path, query, ...options })
  let first: Promise<P> | undefined
  const firstPage = (): Promise<P> => {
    first ??= pageOf(query)
    return first
  }

  async function* pages(): AsyncGenerator<P, void, undefined> {
    for (let at: object | undefined = query; at; ) {
      const page: P = await pageOf(at)
      yield page
      at = queryAfter(page, query)
    }
  }

  async function* records(): AsyncGenerator<RecordOf<P>, void, undefined> {
    for await (const page of pages()) yield* page.data as Awaited<RecordOf<P>>[]
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
