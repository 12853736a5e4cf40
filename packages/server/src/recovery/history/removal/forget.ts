import { type Stay, stayBefore } from '../../../changelog/versions/stay.js'
import type { Position } from '../../../changelog/versions/version.js'
import type { Sql } from '../../../db/port.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import type { Call } from '../../../operations/call.js'
import { deletePacks } from '../retention/pack-store.js'
import { findPositions, setPosition } from '../retention/position-store.js'
import { isArrival, isDeletion, isDeparture } from '../states.js'
import {
  deleteRows,
  findRecorded,
  findRecordFrom,
  firstFrom,
  type HistoryRow,
  isInProject,
  listBefore,
} from '../store.js'
import { endOfStep } from './erase-store.js'

/** Deletes changes of a record with the versions that they replaced, and the packs that end in a range of sequences. */
export const deleteVersions = async (
  db: Sql,
  tenantId: string,
  record: string,
  positions: readonly Position[],
  packs: readonly [first: number, last: number],
): Promise<void> => {
  const bytes = await deleteRows(db, tenantId, record, positions)
  const packedBytes = await deletePacks(db, tenantId, record, packs)
  await countStoredBytes(db, tenantId, -(bytes + packedBytes))
}

interface Forgotten {
  /** The events that told of it. */
  sequences: number[]
  /** What is left: further back, at the place that the record was moved from, or from before it was restored. */
  left: Stay | undefined
}

/** Rows of the stay that a record's history ends with: back to where it came there, or another record had left. */
const rowsOfStay = (rows: readonly HistoryRow[]): { rows: HistoryRow[]; isWhole: boolean } => {
  for (const [at, row] of rows.entries()) {
    if (at > 0 && (isDeletion(row) || isDeparture(row))) return { rows: rows.slice(0, at), isWhole: true }
    if (row.before_version === null || isArrival(row)) return { rows: rows.slice(0, at + 1), isWhole: true }
  }
  return { rows: [...rows], isWhole: false }
}

/** Deletes a part of a record's history, the newest first, with the versions in it. */
export const forget = async (call: Call, { record, upTo }: Stay, count: number): Promise<Forgotten> => {
  const { db, actor } = call
  const { tenantId } = actor
  const [sequence, place] = upTo
  const found = await listBefore(db, tenantId, { record }, [sequence, place + 1], 0, count)
  const { rows, isWhole } = rowsOfStay(found)
  const [newest, oldest] = [rows[0], rows.at(-1)]
  if (!newest || !oldest) return { sequences: [], left: undefined }
  const positions = rows.map((row): Position => [row.sequence, row.place])
  await deleteVersions(db, tenantId, record, positions, [oldest.sequence, sequence])
  const sequences = rows.map((row) => row.sequence)
  if (isWhole) return { sequences, left: await stayBefore(db, tenantId, oldest) }
  const isMore = found.length === count
  return { sequences, left: isMore ? { record, upTo: [oldest.sequence, oldest.place - 1] } : undefined }
}

/** The newest history of a comment or question of a task, living or not. */
export const lifeOfPart = async ({ db, actor }: Call, taskId: string): Promise<Stay | undefined> => {
  // A slash is followed by the digit 0 in the order of bytes.
  const row = await findRecordFrom(db, actor.tenantId, `${taskId}/`, `${taskId}0`)
  return row && { record: row.record, upTo: [row.sequence, row.place] }
}

/** The sequence that the history begins with; events from before it was kept are older. */
export const historyBeginsAt = async ({ db, actor }: Call): Promise<number> =>
  (await firstFrom(db, actor.tenantId, 0))?.sequence ?? Number.MAX_SAFE_INTEGER

export const recorded = ({ db, actor }: Call, records: readonly string[]): Promise<Set<string>> =>
  findRecorded(db, actor.tenantId, records)

/** The newest deletion of a tenant whose record was purged. */
export const purgedSequence = async (db: Sql, tenantId: string): Promise<number> =>
  (await findPositions(db, tenantId)).purged

export const notePurged = async (db: Sql, tenantId: string, sequence: number): Promise<void> => {
  if (sequence > (await purgedSequence(db, tenantId))) await setPosition(db, tenantId, 'purged', sequence)
}

const searchedPerStep = 2_000

/** Whether a change tells of a project, searched from a sequence on in steps: otherwise where to go on. */
export const searchForProject = async (
  { db, actor }: Call,
  projectId: string,
  after: number,
): Promise<'found' | 'none' | number> => {
  const upTo = await endOfStep(db, actor.tenantId, after, searchedPerStep)
  if (upTo === undefined) return 'none'
  return (await isInProject(db, actor.tenantId, projectId, [after, upTo])) ? 'found' : upTo
}
