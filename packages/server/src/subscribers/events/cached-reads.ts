import type { EventPage } from './read.js'
import type { ReadAfter } from './shared-reads.js'

/** For one reader that consumes a page in parts: it is read once, since the log before a position never changes. */
export const createCachedReads = (read: ReadAfter): ReadAfter => {
  let known: { name: string; after: number; page: EventPage } | undefined
  return async (tenantId, after, filter) => {
    const name = JSON.stringify([tenantId, filter])
    if (known && known.name === name && after >= known.after && after < known.page.upTo) {
      const { events, ...rest } = known.page
      return { ...rest, events: events.filter(({ sequence }) => sequence > after) }
    }
    const page = await read(tenantId, after, filter)
    known = { name, after, page }
    return page
  }
}
