import type { Listing, Page } from 'worklore-client'
import type { Cli } from './command.js'
import { limitOf } from './input.js'

/** The records of a list up to a number, as one body. */
export const takeRecords = async <P extends Page>(
  listOfLimit: (limit: number) => Listing<P>,
  count = Number.MAX_SAFE_INTEGER,
  maxPage = 100,
): Promise<P> => {
  let whole: P | undefined
  for await (const page of listOfLimit(Math.min(count, maxPage)).pages()) {
    whole = {
      ...page,
      pagination: { ...whole?.pagination, ...page.pagination },
      data: [...(whole?.data ?? []), ...page.data],
    }
    if (whole.data.length >= count) break
  }
  const { data, pagination } = whole!
  if (data.length <= count) return whole!
  return { ...whole!, data: data.slice(0, count), pagination: { ...pagination, hasMore: true } }
}

/** The records of a list up to what --limit says. Where there are more, a line on standard error says so. */
export const takeLimited = async <P extends Page>(
  cli: Cli,
  listOfLimit: (limit: number) => Listing<P>,
  limit: string | undefined,
  usual: number,
  maxPage?: number,
): Promise<P> => {
  const body = await takeRecords(listOfLimit, limitOf(limit, usual), maxPage)
  // Who asked for so many records in a script expects no more.
  const isToldOfMore = !cli.isJson && (limit === undefined || cli.screen.isTerminal)
  if (isToldOfMore && body.pagination?.hasMore) {
    cli.note(`Only the first ${body.data.length} are shown; use -n COUNT for more.`)
  }
  return body
}
