import { newest, type Position } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { isDeletion } from './states.js'
import {
  findKeysOfRequest,
  findRow,
  findSelectedAfter,
  type HistoryRow,
  listAfter,
  listBefore,
  type RowFilter,
} from './store.js'

export type { Position } from '../../changelog/versions/version.js'
export type { HistoryRow, RowFilter } from './store.js'
export { lastSequence } from './store.js'

const rowsPerRead = 200

const isByActor = (row: HistoryRow, { access, keyId, claims, sinceMs, untilMs }: RowFilter): boolean =>
  row.created_at >= sinceMs &&
  row.created_at < untilMs &&
  (keyId === undefined || row.key_id === keyId) &&
  (claims === undefined || (row.claim !== null && claims.has(row.claim))) &&
  ('keyId' in access ? row.key_id === access.keyId : true) &&
  ('requestId' in access ? row.request_id === access.requestId : true) &&
  ('claim' in access ? row.claim === access.claim : true)

const matches = (row: HistoryRow, filter: RowFilter): boolean =>
  isByActor(row, filter) && (filter.projectId === undefined || row.project_id === filter.projectId)

/** What was deleted with another record is told by that one. */
const isOfItsOwn = (row: HistoryRow): boolean => row.place === 0 || !isDeletion(row)

/** The changes that somebody made, by record. */
export interface Selection {
  /** Records in the order of their newest selected change, from before a position on; and where to go on. */
  records(before: Position, count: number): Promise<{ newest: HistoryRow[]; next: Position | undefined }>
  /** The first selected change of a record after a position. */
  firstOf(record: string, after: Position): Promise<HistoryRow | undefined>
  isSelected(row: HistoryRow): boolean
  /** The same in any project: a move between two is a change of both. */
  isByActor(row: HistoryRow): boolean
  /** The end of the history when the first page was asked for. */
  upToSequence: number
}

/** So many changes are looked through for one page. */
const maxRowsRead = 5_000

export const createSelection = (
  call: Call,
  filter: RowFilter,
  fromSequence: number,
  upToSequence: number,
): Selection => {
  const { db, actor } = call
  const { tenantId } = actor
  const firstAfter = (record: string, after: Position) =>
    findSelectedAfter(db, tenantId, filter, record, after, upToSequence)

  const isNewest = async (row: HistoryRow): Promise<boolean> => {
    for (let at: Position = [row.sequence, row.place]; ; ) {
      const later = await firstAfter(row.record, at)
      if (!later) return true
      if (isOfItsOwn(later)) return false
      at = [later.sequence, later.place]
    }
  }

  const records: Selection['records'] = async (before, count) => {
    const newest: HistoryRow[] = []
    const seen = new Set<string>()
    let at = before
    for (let rowsRead = 0; rowsRead < maxRowsRead; rowsRead += rowsPerRead) {
      const rows = await listBefore(db, tenantId, filter.access, at, fromSequence, rowsPerRead)
      for (const row of rows) {
        if (newest.length === count) return { newest, next: at }
        at = [row.sequence, row.place]
        if (!matches(row, filter) || !isOfItsOwn(row) || seen.has(row.record)) continue
        seen.add(row.record)
        if (await isNewest(row)) newest.push(row)
      }
      if (rows.length < rowsPerRead) return { newest, next: undefined }
    }
    return { newest, next: at }
  }
  return {
    records,
    firstOf: firstAfter,
    isSelected: (row) => row.sequence <= upToSequence && matches(row, filter),
    isByActor: (row) => row.sequence <= upToSequence && isByActor(row, filter),
    upToSequence,
  }
}

/** All changes of a record after one of them, the oldest first. */
export const changesAfter = async (call: Call, { record, sequence, place }: HistoryRow): Promise<HistoryRow[]> => {
  const changes: HistoryRow[] = []
  for (let after: Position = [sequence, place]; ; ) {
    const rows = await listAfter(call.db, call.actor.tenantId, { record }, after, Number.MAX_SAFE_INTEGER, rowsPerRead)
    changes.push(...rows)
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerRead) return changes
    after = [last.sequence, last.place]
  }
}

export const findChange = ({ db, actor }: Call, at: Position): Promise<HistoryRow | undefined> =>
  findRow(db, actor.tenantId, at)

/** The newest changes that were made under a claim. */
export const newestUnderClaim = ({ db, actor }: Call, claim: string, count: number): Promise<HistoryRow[]> =>
  listBefore(db, actor.tenantId, { claim }, newest, 0, count)

export const keysOfRequest = ({ db, actor }: Call, requestId: string): Promise<string[]> =>
  findKeysOfRequest(db, actor.tenantId, requestId)
