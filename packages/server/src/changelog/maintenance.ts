import type { ErasedTexts } from '../db/erased-texts.js'
import type { Call } from '../operations/call.js'
import * as store from './event-store.js'

export const erasedEvents: ErasedTexts = {
  table: 'events',
  key: ['sequence'],
  start: [0],
  texts: ['actor', 'data', 'previous'],
  rowsPerStep: 100,
  redacted: ({ actor, data, previous }, person) => {
    // Redacted together, because `previous` does not name the record's user but `data` does.
    const whole = JSON.stringify({ ...JSON.parse(data!), previous: previous && JSON.parse(previous) })
    const { previous: before, ...after } = JSON.parse(person.redacted(whole))
    return { actor: person.redacted(actor!), data: JSON.stringify(after), previous: before && JSON.stringify(before) }
  },
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
