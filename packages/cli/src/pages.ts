import type { Listing, Page } from 'worklore-client'

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
  return { ...whole!, data: whole!.data.slice(0, count) }
}
