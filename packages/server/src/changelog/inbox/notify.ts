import { isoTime } from '../../base/clock.js'
import { newTimedId } from '../../base/ids.js'
import { inboxTopic } from '../../db/topics.js'
import { actorRef } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import type { InboxKind } from './schema.js'
import { deleteOfCause, deleteUpTo, insertEntries, markCauseRead, type NewEntry } from './store.js'

/** Something that users are to be told, because of a change in the same transaction. */
export interface Notice {
  kind: InboxKind
  /** Names what it is about; a user is told of a cause once. */
  cause: string
  userIds: readonly string[]
  taskId: string | null
  /** Where it was said, if in a comment: without it the entry is not shown. */
  commentId?: string | undefined
  /** Of a knowledge item. */
  key?: string
  projectId: string
  title: string
  text: string
}

const maxExcerptLength = 200

const excerptOf = (text: string): string => {
  const line = text
    .slice(0, 4 * maxExcerptLength)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= maxExcerptLength) return line
  // Half of a character is none.
  return `${line.slice(0, maxExcerptLength - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A user's older entries are not shown, and are deleted now and then. */
export const maxEntriesPerUser = 1_000
const entriesPerDeletion = 50

/**
 * Writes entries into the inboxes of users, never of the one who acts, in one statement. It comes after the change was
 * recorded, since an entry has the place of that event.
 */
export const notifyAll = async (call: Call, notices: readonly Notice[]): Promise<void> => {
  if (notices.length === 0) return
  const { db, actor, clock } = call
  const nowMs = clock()
  const at = isoTime(nowMs)
  const by = actorRef(actor)
  const entries = notices.flatMap((notice) => {
    const { kind, cause, taskId, commentId = null, key = null, projectId, title } = notice
    const excerpt = excerptOf(notice.text)
    const userIds = [...new Set(notice.userIds)].filter((id) => id !== actor.userId)
    return userIds.map((userId): NewEntry => {
      const id = newTimedId('inb', nowMs)
      const entry = { id, kind, taskId, key, projectId, title, excerpt, at, by }
      return { userId, cause, commentId, createdAtMs: nowMs, entry }
    })
  })
  if (entries.length === 0) return
  for (const { userId, number } of await insertEntries(db, actor.tenantId, entries)) {
    db.announce(inboxTopic(userId))
    if (number > maxEntriesPerUser && number % entriesPerDeletion === 0) {
      await deleteUpTo(db, actor.tenantId, userId, number - maxEntriesPerUser)
    }
  }
}

export const notify = (call: Call, notice: Notice): Promise<void> => notifyAll(call, [notice])

/** What asked for something is read once that is settled. */
export const markRead = ({ db, actor, clock }: Call, kind: InboxKind, cause: string): Promise<void> =>
  markCauseRead(db, actor.tenantId, kind, cause, clock())

/** Takes back that users were told of something, which may be told again. */
export const retract = ({ db, actor }: Call, kinds: readonly InboxKind[], cause: string): Promise<void> =>
  deleteOfCause(db, actor.tenantId, kinds, cause)
