import { timeOf } from '../../base/dates.js'
import { invalid } from '../../base/errors.js'
import { type EventFilter, typesMatching } from '../../changelog/event-types.js'
import type { Call } from '../../operations/call.js'
import type { OperationCall } from '../../operations/operation.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { type BackwardPage, type EventPage, readBackwards, readEventPage, resolveStart, type Start } from './read.js'
import type { EventFeed } from './schema.js'
import { visibleTo } from './visible.js'

const defaultLimit = 100

/** What a query asks for, whoever asks. */
export const requestedFilter = async (
  call: Call,
  { types, projectId }: Pick<EventFeed, 'types' | 'projectId'>,
): Promise<EventFilter> => ({
  types: types === undefined ? null : typesMatching(types, 'types'),
  projectIds: projectId === undefined ? null : [(await projectNamed(call, projectId)).id],
})

export const startOf = (after: string | undefined, fallback: 'oldest' | 'latest'): Start =>
  after === undefined ? fallback : after === 'latest' ? after : Number(after)

/** A page of the log. */
export const readFeed = async (call: Call, query: EventFeed): Promise<EventPage> => {
  const { tenantId } = call.actor
  const filter = visibleTo(call.actor, await requestedFilter(call, query))
  const after = await resolveStart(call.db, tenantId, startOf(query.after, 'oldest'))
  return readEventPage(call.db, tenantId, after, filter, query.limit ?? defaultLimit)
}

/** A page of the log from its end. */
export const readNewestFirst = async (call: Call, query: EventFeed): Promise<BackwardPage> => {
  const { before, subject, actor, limit = defaultLimit } = query
  const filter = visibleTo(call.actor, await requestedFilter(call, query))
  const times = { sinceMs: timeOf('since', query.since), untilMs: timeOf('until', query.until) }
  const wanted = { ...filter, ...times, about: subject, keyId: actor }
  return readBackwards(call.db, call.actor.tenantId, before, wanted, limit)
}

const ofOrder = { asc: ['after', 'wait'], desc: ['before', 'subject', 'actor', 'since', 'until'] } as const

/** Throws if a parameter is not allowed with the requested order. */
export const checkOrder = (query: EventFeed): void => {
  const isDescending = query.order === 'desc'
  const message = isDescending ? 'cannot be combined with order=desc' : 'requires order=desc'
  const misplaced = ofOrder[isDescending ? 'asc' : 'desc'].filter((name) => query[name] !== undefined)
  if (misplaced.length > 0) throw invalid(...misplaced.map((path) => ({ path, message })))
}

/**
 * A page of the log that waits for the first event that the caller may see. Who that is is asked after each wait, since
 * the key may have changed or ended meanwhile.
 */
export const awaitFeed = async (call: OperationCall, query: EventFeed): Promise<EventPage> => {
  const { tenantId } = call.actor
  const { watches, sharedReads } = call.core
  const { limit = defaultLimit, wait = 0 } = query
  const untilMs = performance.now() + wait * 1_000
  const watch = watches.open(tenantId)
  call.onAbandoned(watch.end)
  try {
    const requested = await requestedFilter(call, query)
    let after = await resolveStart(call.db, tenantId, startOf(query.after, 'oldest'))
    for (let actor = call.actor; ; actor = await call.actorNow()) {
      const page = await sharedReads(tenantId, after, visibleTo(actor, requested), limit)
      const leftMs = untilMs - performance.now()
      if (page.events.length > 0 || page.hasMore || watch.isEnded || leftMs <= 0) return page
      after = page.upTo
      await watch.next(leftMs)
    }
  } finally {
    watch.end()
  }
}
