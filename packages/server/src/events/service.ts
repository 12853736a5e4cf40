import type { Actor } from '../actor.js'
import type { Awaitable } from '../awaitable.js'
import type { Call } from '../call.js'
import { projectNamed } from '../projects/service.js'
import { readStretch, resolveStart, type Start, type Stretch } from './read.js'
import type { EventQuery } from './schema.js'
import { type EventFilter, typesMatching } from './types.js'
import { visibleTo } from './visible.js'
import type { Watch } from './watch.js'

/** What a query asks for, whoever asks. */
export const wishOf = async (
  call: Call,
  { types, projectId }: Pick<EventQuery, 'types' | 'projectId'>,
): Promise<EventFilter> => ({
  types: types === undefined ? null : typesMatching(types.split(','), 'types'),
  projectIds: projectId === undefined ? null : [(await projectNamed(call, projectId)).id],
})

export const startOf = (after: string | undefined, fallback: 'oldest' | 'latest'): Start =>
  after === undefined ? fallback : after === 'latest' ? after : Number(after)

/**
 * A page of the log; with a watch, waits for the first event that the caller may see. `actorNow` is asked after each
 * wait, since the key may have ended meanwhile.
 */
export const readFeed = async (
  call: Call,
  query: EventQuery,
  watch: Watch | undefined,
  actorNow: () => Awaitable<Actor>,
): Promise<Stretch> => {
  const { tenantId } = call.actor
  const { limit = 100, wait = 0 } = query
  const untilMs = performance.now() + wait * 1_000
  const wish = await wishOf(call, query)
  let filter = visibleTo(call.actor, wish)
  let after = await resolveStart(call.db, tenantId, startOf(query.after, 'oldest'))
  for (;;) {
    const stretch = await readStretch(call.db, tenantId, after, filter, limit)
    const leftMs = untilMs - performance.now()
    if (stretch.events.length > 0 || stretch.hasMore || !watch || watch.isEnded || leftMs <= 0) return stretch
    after = stretch.upTo
    await watch.next(leftMs)
    filter = visibleTo(await actorNow(), wish)
  }
}
