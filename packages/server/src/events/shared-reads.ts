import type { Sql } from '../db/port.js'
import { readStretch, type Stretch } from './read.js'
import type { EventFilter } from './types.js'

export type ReadAfter = (tenantId: string, after: number, filter: EventFilter) => Promise<Stretch>

/** Few enough to be held for a slow reader. */
const eventsPerRead = 100

/** Lets streams that stand at the same place share one read. Those of an older news count are not joined. */
export const createSharedReads = (db: Sql, newsCount: () => number): ReadAfter => {
  const underWay = new Map<string, Promise<Stretch>>()
  return (tenantId, after, filter) => {
    const name = JSON.stringify([tenantId, after, filter.types, filter.projectIds, newsCount()])
    let read = underWay.get(name)
    if (!read) {
      read = readStretch(db, tenantId, after, filter, eventsPerRead).finally(() => underWay.delete(name))
      underWay.set(name, read)
    }
    return read
  }
}
