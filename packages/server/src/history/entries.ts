import type { ActorRef } from '../actor.js'
import type { Door } from '../call.js'
import { isoTime } from '../clock.js'
import { changesBetween } from './changes.js'
import type { HistoryEntry } from './schema.js'
import type { States } from './states.js'
import type { HistoryRow } from './store.js'
import { commentOf, itemOf, kindOfType, type RecordKind } from './version.js'

/** How a record is named to a reader. */
export interface RecordRef {
  task?: string
  comment?: string
  knowledge?: string
  project?: string
  projectId: string | null
}

export const refOf = (kind: RecordKind, record: string, projectId: string): RecordRef => {
  const place = { projectId: projectId || null }
  switch (kind) {
    case 'task':
      return { task: record, ...place }
    case 'comment': {
      const { taskId, id } = commentOf(record)
      return { task: taskId, comment: id, ...place }
    }
    case 'knowledge':
      return { knowledge: itemOf(record).key, ...place }
    case 'project':
      return { project: record, ...place }
  }
}

const parsed = (json: string | null): Record<string, unknown> | null => (json === null ? null : JSON.parse(json))

/** A change as it is shown, and how long the texts were that it was made of. */
export const entryOf = async (
  states: States,
  row: HistoryRow,
  isFull: boolean,
  newer?: HistoryRow,
): Promise<{ entry: HistoryEntry; length: number }> => {
  const before = await states.before(row)
  const after = await states.after(row, newer)
  const entry: HistoryEntry = {
    id: row.event_id,
    sequence: row.sequence,
    type: row.type,
    at: isoTime(row.created_at),
    actor: JSON.parse(row.actor) as ActorRef,
    requestId: row.request_id,
    door: row.door as Door,
    claim: row.claim,
    undoes: row.undoes,
    ...refOf(kindOfType(row.type), row.record, row.project_id),
    version: row.version,
    changes: changesBetween(parsed(before), parsed(after), isFull),
  }
  return { entry, length: (before?.length ?? 0) + (after?.length ?? 0) }
}
