import { type Mention, mentionsIn } from '../../base/mentions.js'
import { type Notice, notifyAll } from '../../changelog/inbox/notify.js'
import type { Call } from '../../operations/call.js'
import { idsByHandle } from './store.js'

/** A text that was written or edited, and what it belongs to. */
export interface EditedText extends Pick<Notice, 'cause' | 'taskId' | 'commentId' | 'projectId' | 'title'> {
  /** As it was; empty where it is new. */
  before: string
  after: string
  /** Users who are told of it for another reason. */
  toldUserIds?: readonly string[]
}

const maxMentionsPerText = 20

/** A hyphen behind a handle is most likely not part of it. */
const handlesOf = ({ name }: Mention): string[] => [...new Set([name, name.replace(/-+$/, '')])]

/** The users that mentions are of, each with their first one. */
const usersOf = (mentions: readonly Mention[], ids: ReadonlyMap<string, string>): Map<string, Mention> => {
  const users = new Map<string, Mention>()
  for (const mention of mentions) {
    const id = handlesOf(mention).flatMap((handle) => ids.get(handle) ?? [])[0]
    if (id !== undefined && !users.has(id) && users.size < maxMentionsPerText) users.set(id, mention)
  }
  return users
}

/** Tells users who are mentioned in a text and were not before. Without a new name in it, it costs no statement. */
export const notifyMentions = async (call: Call, text: EditedText): Promise<void> => {
  const { before, after, toldUserIds = [], ...fields } = text
  if (before === after) return
  const mentions = mentionsIn(after)
  if (mentions.length === 0) return
  const earlier = mentionsIn(before)
  const known = new Set(earlier.map(({ name }) => name))
  if (earlier.length <= maxMentionsPerText && mentions.every(({ name }) => known.has(name))) return
  const ids = await idsByHandle(call.db, call.actor.tenantId, [...earlier, ...mentions].flatMap(handlesOf))
  const toldBefore = usersOf(earlier, ids)
  const notices = [...usersOf(mentions, ids)]
    .filter(([userId]) => !toldBefore.has(userId) && !toldUserIds.includes(userId))
    .map(([userId, { line }]) => ({ ...fields, kind: 'mention' as const, userIds: [userId], text: line }))
  await notifyAll(call, notices)
}
