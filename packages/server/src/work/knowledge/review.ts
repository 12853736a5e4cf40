import { isoTime } from '../../base/clock.js'
import { AppError, versionMismatch } from '../../base/errors.js'
import { checkPreconditions, type Preconditions } from '../../base/versions.js'
import { type Actor, actorRef } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import { checkWritableKey } from './key.js'
import { itemToChange } from './place.js'
import type { Retraction, Verdict } from './schema.js'
import { answerOf, type ItemAnswer, updateItem } from './service.js'
import type { StoredItem } from './store.js'
import { parseMeta } from './stored-meta.js'
import { contentByOf } from './write.js'

/** Whether the actor, or another key of the same user, last changed the content of an item. */
const isAuthor = (actor: Actor, item: StoredItem): boolean => {
  const author = contentByOf(item)
  return author.keyId === actor.keyId || (author.userId !== null && author.userId === actor.userId)
}

/** Verifies or disputes the content of an item, or takes that back. */
export const judgeItem = (
  call: Call,
  { key, projectId, version, trust, note = null }: Verdict,
): Promise<ItemAnswer> => {
  checkWritableKey(key)
  return changing(call, async (call) => {
    const { item } = await itemToChange(call, key, projectId)
    if (item.version !== version) throw versionMismatch(item.version)
    if (trust === 'verified' && isAuthor(call.actor, item)) {
      throw new AppError(
        'verifier',
        `"${key}" must be verified by someone else: this key or its user last changed the content.`,
      )
    }
    const verdict =
      trust === 'unreviewed' ? null : { by: actorRef(call.actor), at: isoTime(call.clock()), version, note }
    return answerOf(call, await updateItem(call, item, { trust, verdict }))
  })
}

/** Withdraws an item, which stays readable; without a reason it takes that back. */
export const retractItem = (
  call: Call,
  { key, projectId, reason }: Retraction,
  preconditions: Preconditions,
): Promise<ItemAnswer> => {
  checkWritableKey(key)
  return changing(call, async (call) => {
    const { item } = await itemToChange(call, key, projectId)
    checkPreconditions(preconditions, item.version)
    if (reason === (parseMeta(item.meta).retraction?.reason ?? null)) return answerOf(call, item)
    const retraction = reason === null ? null : { reason, by: actorRef(call.actor), at: isoTime(call.clock()) }
    return answerOf(call, await updateItem(call, item, { retraction }))
  })
}
