import { AppError, invalid } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { type Page, pagedList } from '../../base/paging.js'
import type { InboxEntry } from '../../changelog/inbox/schema.js'
import { inboxTopic } from '../../db/topics.js'
import { type Actor, holdsScope } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import type { OperationCall } from '../../operations/operation.js'
import { holdOpen, type Wait } from '../../operations/waiting.js'
import type { InboxQuery, ReadRequest } from './schema.js'
import * as store from './store.js'

/** Whose inbox it is; null for a person in the console whose key has no user, and whose inbox is empty. */
const ownerOf = ({ userId, sessionId, keyId }: Actor): string | null => {
  if (userId !== null || sessionId !== undefined) return userId
  throw new AppError('no_user', 'This key belongs to no user, and only users have an inbox.', {
    keyId,
  })
}

export const listInbox = async (call: Call, query: InboxQuery): Promise<Page<Json<InboxEntry>>> => {
  const { state = 'unread', after } = query
  const { tenantId, projectIds } = call.actor
  const userId = ownerOf(call.actor)
  // What there is so far is about tasks.
  if (userId === null || !holdsScope(call.actor, 'tasks:read')) return { items: [], hasMore: false, nextCursor: null }
  const filter = { isUnread: state === 'unread', after, projectIds }
  const page = await pagedList(query, {
    list: [tenantId, 'inbox', userId, state, after],
    kinds: ['integer'],
    read: (before, count) => store.listEntries(call.db, tenantId, userId, filter, before?.[0], count),
    placeOf: ({ number }) => [number],
  })
  return { ...page, items: page.items.map(({ entry }) => entry) }
}

/** The wait of one call for an entry, if it is to wait at all. */
export const waitForEntry = async (
  call: OperationCall,
  { waitSeconds = 0, cursor }: InboxQuery,
): Promise<Wait | undefined> => {
  const userId = ownerOf(call.actor)
  if (waitSeconds === 0 || cursor !== undefined || userId === null) return undefined
  const untilMs = performance.now() + waitSeconds * 1_000
  const leave = await holdOpen(call)
  const watch = call.core.watches.open(call.actor.tenantId, inboxTopic(userId))
  call.onAbandoned(watch.end)
  return {
    next: async () => {
      const leftMs = untilMs - performance.now()
      if (leftMs <= 0 || watch.isEnded) return false
      await watch.next(leftMs)
      return !watch.isEnded
    },
    end: () => {
      watch.end()
      leave()
    },
  }
}

/** Answers how many were unread. Entries that are not there, or are another user's, are passed over. */
export const markRead = (call: Call, { ids, upTo }: ReadRequest): Promise<number> => {
  if ((ids === undefined) === (upTo === undefined)) {
    throw invalid({ path: 'ids', message: 'or upTo is required, and only one of them' })
  }
  return changing(call, async ({ db, actor, clock }) => {
    const { tenantId } = actor
    const userId = ownerOf(actor)
    if (userId === null) return 0
    const reader = { userId, projectIds: actor.projectIds }
    if (ids) return store.markRead(db, tenantId, reader, ids, clock())
    const number = await store.findNumber(db, tenantId, userId, upTo!)
    if (number === undefined)
      throw invalid({ path: 'upTo', message: `inbox entry "${upTo}" not found`, record: 'inbox entry' })
    return store.markReadUpTo(db, tenantId, reader, number, clock())
  })
}
