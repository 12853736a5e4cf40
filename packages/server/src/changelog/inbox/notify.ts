import { newTimedId } from '../../base/ids.js'
import { actorRef } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import type { InboxKind } from './schema.js'
import { insertEntries, markCauseRead, usersTold } from './store.js'

/** Something that users are to be told, because of a change in the same transaction. */
export interface Notice {
  kind: InboxKind
  /** Names what it is about; a user is told of a cause once. */
  cause: string
  userIds: readonly string[]
  taskId: string | null
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
  const characters = [...line]
  return characters.length <= maxExcerptLength ? line : `${characters.slice(0, maxExcerptLength - 1).join('')}…`
}

/** Writes entries into the inboxes of users, never of the one who acts. */
export const notify = async (call: Call, notice: Notice): Promise<void> => {
  const { db, actor, clock } = call
  const wanted = new Set(notice.userIds.filter((id) => id !== actor.userId))
  if (wanted.size === 0) return
  for (const told of await usersTold(db, actor.tenantId, notice.kind, notice.cause)) wanted.delete(told)
  const nowMs = clock()
  const { kind, cause, taskId, key = null, projectId, title } = notice
  const excerpt = excerptOf(notice.text)
  const entries = [...wanted].map((userId) => ({
    userId,
    id: newTimedId('inb', nowMs),
    createdAtMs: nowMs,
    by: actorRef(actor),
    ...{ kind, cause, taskId, key, projectId, title, excerpt },
  }))
  await db.runAll(insertEntries(db, actor.tenantId, entries))
}

/** What asked for something is read once that is settled. */
export const markRead = ({ db, actor, clock }: Call, kind: InboxKind, cause: string): Promise<void> =>
  markCauseRead(db, actor.tenantId, kind, cause, clock())
