import type { Call } from '../operations/call.js'
import * as store from './event-store.js'

/** Takes what is purged out of the log. */
export const redactEvents = ({ db, actor }: Call, sequences: readonly number[]): Promise<void> =>
  store.redactEvents(db, actor.tenantId, sequences)

/** Some events that still show a task or its comments, also those that changed nothing of it. */
export const eventsShowing = ({ db, actor }: Call, taskId: string, count: number): Promise<number[]> =>
  store.findUnredacted(db, actor.tenantId, taskId, count)

/** Some events from before a sequence that still show an item. */
export const eventsShowingItem = (
  { db, actor }: Call,
  item: { projectId: string; key: string },
  beforeSequence: number,
  count: number,
): Promise<number[]> => store.findUnredactedOfItem(db, actor.tenantId, item, beforeSequence, count)
