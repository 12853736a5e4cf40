import type { Person } from '../base/person.js'
import { endOfStep } from '../db/end-of-step.js'
import { type Call, changing } from '../operations/call.js'
import * as store from './event-store.js'

const eventsPerStep = 100

/** Takes a person out of some events after a sequence; answers where to go on, or null after the last. */
export const eraseFromEvents = async (call: Call, person: Person, after: number | null): Promise<number | null> => {
  const { tenantId } = call.actor
  const from = after ?? 0
  const upTo = await endOfStep(call.db, { table: 'events', key: 'sequence' }, tenantId, from, eventsPerStep)
  if (upTo === undefined) return null
  const mentions = (db: Call['db']) => store.listMentions(db, tenantId, person.id, [from, upTo])
  if ((await mentions(call.db)).length === 0) return upTo
  await changing(call, async ({ db }) => {
    for (const { sequence, actor, data, previous } of await mentions(db)) {
      // What an update replaced names no one: whose it is stands in the data.
      const whole = JSON.stringify({ ...JSON.parse(data), previous: previous && JSON.parse(previous) })
      const { previous: before, ...after } = JSON.parse(person.redacted(whole))
      await store.rewriteEvent(db, tenantId, {
        sequence,
        actor: person.redacted(actor),
        data: JSON.stringify(after),
        previous: before && JSON.stringify(before),
      })
    }
  })
  return upTo
}

/** Limits the events that are searched for former names of a user. */
const maxUserChanges = 1_000

/** The present and former names and emails of a user that are in the log. */
export const namesInLog = async ({ db, actor }: Call, userId: string): Promise<string[]> => {
  const names = new Set<string>()
  for (const { data, previous } of await store.listAbout(db, actor.tenantId, userId, maxUserChanges))
    for (const { name, email } of [JSON.parse(data), previous === null ? {} : JSON.parse(previous)])
      for (const text of [name, email]) if (typeof text === 'string') names.add(text)
  return [...names]
}

/** Takes what is purged out of the log. */
export const redactEvents = ({ db, actor }: Call, sequences: readonly number[]): Promise<void> =>
  store.redactEvents(db, actor.tenantId, sequences)

/** Returns the sequences of some events that still contain text of a record or its parts. */
export const eventsShowing = (
  { db, actor }: Call,
  kind: 'task' | 'knowledge',
  id: string,
  count: number,
): Promise<number[]> => store.findUnredacted(db, actor.tenantId, kind, id, count)
