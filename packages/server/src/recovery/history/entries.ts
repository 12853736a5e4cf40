import { isoTime } from '../../base/clock.js'
import { type Json, joinObjects } from '../../base/json.js'
import { kindOfType, partOf, type RecordKind } from '../../changelog/versions/version.js'
import type { ActorRef } from '../../operations/actor.js'
import type { Differ } from './differ.js'
import type { HistoryEntry } from './schema.js'
import type { States } from './states.js'
import type { HistoryRow } from './store.js'

/** How a record is named to a reader. */
interface RecordRef {
  task?: string
  comment?: string
  question?: string
  knowledge?: string
  knowledgeId?: string
  project?: string
  projectId: string | null
}

/** `itemKey` is the key of a knowledge item, which its record does not contain. */
export const refOf = (kind: RecordKind, record: string, projectId: string, itemKey: string | null): RecordRef => {
  const place = { projectId: projectId || null }
  switch (kind) {
    case 'task':
      return { task: record, ...place }
    case 'comment': {
      const { taskId, id } = partOf(record)
      return { task: taskId, comment: id, ...place }
    }
    case 'question': {
      const { taskId, id } = partOf(record)
      return { task: taskId, question: id, ...place }
    }
    case 'knowledge':
      return { knowledge: itemKey!, knowledgeId: record, ...place }
    case 'project':
      return { project: record, ...place }
  }
}

/** Returns the changed record's reference as shown to readers. */
export const refOfRow = ({ type, record, project_id, item_key }: HistoryRow): RecordRef =>
  refOf(kindOfType(type), record, project_id, item_key)

/** A change with the record before and after it, as JSON; null where it was not there. */
export interface ShownChange {
  row: HistoryRow
  before: string | null
  after: string | null
}

/** `newer` is the next change of the record, where it is known. */
export const shownChange = async (states: States, row: HistoryRow, newer?: HistoryRow): Promise<ShownChange> => ({
  row,
  before: await states.before(row),
  after: await states.after(row, newer),
})

/** A change as it is shown. Not for transactions: comparing texts may take a while. */
export const entryJson = async (
  differ: Differ,
  tenantId: string,
  { row, before, after }: ShownChange,
  isFull: boolean,
): Promise<Json<HistoryEntry>> => {
  const entry: Omit<HistoryEntry, 'changes'> = {
    id: row.event_id,
    sequence: row.sequence,
    type: row.type,
    at: isoTime(row.created_at),
    actor: JSON.parse(row.actor) as ActorRef,
    requestId: row.request_id,
    via: row.via,
    claim: row.claim,
    undoes: row.undoes,
    ...refOfRow(row),
    version: row.version,
  }
  const changes = await differ.changes(tenantId, { before, after, isFull })
  return joinObjects(JSON.stringify(entry), `{"changes":${changes}}`)
}
