import type { Position } from '../../../changelog/versions/version.js'
import { endOfStep } from '../../../db/erased-texts.js'
import type { Sql } from '../../../db/port.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import type { Call } from '../../../operations/call.js'
import { deletePacks } from '../retention/pack-store.js'
import { findPositions, setPosition } from '../retention/position-store.js'
import { deleteRows, findRecorded, findRecordFrom, isInProject, listBefore } from '../store.js'

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

/** The history of a record up to a change. */
export interface Life {
  record: string
  upTo: Position
}

/** Deletes the newest changes of a life with their versions. Returns the sequences of their events, at most `count`. */
export const forget = async (call: Call, { record, upTo }: Life, count: number): Promise<number[]> => {
  const { db, actor } = call
  const [sequence, place] = upTo
  const rows = await listBefore(db, actor.tenantId, { record }, [sequence, place + 1], 0, count)
  const oldest = rows.at(-1)
  if (!oldest) return []
  const positions = rows.map((row): Position => [row.sequence, row.place])
  await deleteVersions(db, actor.tenantId, record, positions, [oldest.sequence, sequence])
  return rows.map((row) => row.sequence)
}

/** The newest history of a comment or question of a task, living or not. */
export const lifeOfPart = async ({ db, actor }: Call, taskId: string): Promise<Life | undefined> => {
  // A slash is followed by the digit 0 in the order of bytes.
  const row = await findRecordFrom(db, actor.tenantId, `${taskId}/`, `${taskId}0`)
  return row && { record: row.record, upTo: [row.sequence, row.place] }
}

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
  const end = await endOfStep(db, { table: 'history', key: ['sequence'] }, actor.tenantId, [after], searchedPerStep)
  if (!end) return 'none'
  const upTo = Number(end[0])
  return (await isInProject(db, actor.tenantId, projectId, [after, upTo])) ? 'found' : upTo
}
