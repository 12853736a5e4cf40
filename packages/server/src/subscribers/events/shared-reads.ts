import type { EventFilter } from '../../changelog/event-types.js'
import type { Db } from '../../db/port.js'
import { type EventPage, readEventPage } from './read.js'

declare module '../../operations/core.js' {
  interface Core {
    /** Reads of the log that all waiting readers share. */
    readonly sharedReads: ReadAfter
  }
}

export type ReadAfter = (tenantId: string, after: number, filter: EventFilter, limit?: number) => Promise<EventPage>

/** Few enough to be held for a slow reader. */
const eventsPerRead = 100

/**
 * Lets streams and long polls that stand at the same place share one read. Those of an older
 * notification count are not joined.
 */
export const createSharedReads = (db: Db, notificationCount: () => number): ReadAfter => {
  const underWay = new Map<string, Promise<EventPage>>()
  return (tenantId, after, filter, limit = eventsPerRead) => {
    const name = JSON.stringify([tenantId, after, filter.types, filter.projectIds, limit, notificationCount()])
    let read = underWay.get(name)
    if (!read) {
      read = readEventPage(db.ofTenant(tenantId), tenantId, after, filter, limit).finally(() => underWay.delete(name))
      underWay.set(name, read)
    }
    return read
  }
}

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
