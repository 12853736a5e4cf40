import { setImmediate } from 'node:timers/promises'
import type { Sql } from '../db/port.js'
import { knowledgeRecord, knowledgeRef, taskRecord } from './records.js'
import { changesAfter, itemsAt, type KnowledgePlace, type LoggedChange, logState, tasksById } from './store.js'
import type { TenantIndex } from './tenant-index.js'

const CHANGES_PER_STEP = 100

/** `lost`: the log does not lead on from where the index stands, so that it must be built anew. */
export type Followed = 'current' | 'lost' | 'gone'

const applyTasks = async (db: Sql, tenantId: string, index: TenantIndex, ids: readonly string[]) => {
  if (ids.length === 0) return
  const rows = await tasksById(db, tenantId, ids)
  for (const id of ids) index.tasks.remove(id)
  for (const row of rows) index.tasks.upsert(taskRecord(row))
}

const applyItems = async (db: Sql, tenantId: string, index: TenantIndex, places: readonly KnowledgePlace[]) => {
  if (places.length === 0) return
  const rows = await itemsAt(db, tenantId, places)
  for (const { key, project_id } of places) index.knowledge.remove(knowledgeRef(key, project_id))
  for (const row of rows) index.knowledge.upsert(knowledgeRecord(row))
}

// The log says which records changed; what they are now is read from the records, once for many changes.
const apply = async (db: Sql, tenantId: string, index: TenantIndex, changes: readonly LoggedChange[]) => {
  const tasks = new Set<string>()
  const items = new Map<string, KnowledgePlace>()
  for (const { type, subject, project_id } of changes) {
    if (type.startsWith('task.')) tasks.add(subject)
    else if (type.startsWith('knowledge.')) items.set(knowledgeRef(subject, project_id), { project_id, key: subject })
    else if (type === 'project.deleted') {
      index.tasks.removeScope(subject)
      index.knowledge.removeScope(subject)
    }
  }
  await applyTasks(db, tenantId, index, [...tasks])
  await applyItems(db, tenantId, index, [...items.values()])
}

/** Brings an index up to what the log says now. */
export const follow = async (db: Sql, tenantId: string, index: TenantIndex): Promise<Followed> => {
  const state = await logState(db, tenantId, index.sequence)
  if (!state) return 'gone'
  const { newest, eventId } = state
  // Another event at the same place is another log: a backup was put in place of the one that the index follows.
  const isOther = eventId !== null && index.eventId !== null && eventId !== index.eventId
  if (newest < index.sequence || isOther) return 'lost'
  while (index.sequence < newest) {
    const changes = await changesAfter(db, tenantId, index.sequence, CHANGES_PER_STEP)
    // Sequences have no gaps, so a missing one was trimmed.
    if (changes[0]?.sequence !== index.sequence + 1) return 'lost'
    await apply(db, tenantId, index, changes)
    index.sequence = changes.at(-1)!.sequence
    index.eventId = changes.at(-1)!.id
    index.changes += changes.length
    await setImmediate()
  }
  return 'current'
}
