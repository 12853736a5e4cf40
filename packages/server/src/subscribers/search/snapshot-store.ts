import { setTimeout } from 'node:timers/promises'
import type { StoredSnapshot } from 'worklore-search'
import { randomBase62 } from '../../base/ids.js'
import type { Sql } from '../../db/port.js'

// Small parts with pauses between them: on an engine with one writer, requests that write wait for a part at most.
const PART_BYTES = 256 * 1024
const PAUSE_MS = 10

interface Generation {
  generation: string
  parts: number
  sequence: number
}

/** Complete ones, the newest first. */
const completeGenerations = async (db: Sql, tenantId: string): Promise<Generation[]> =>
  db.all(
    `select generation, max(parts) as parts, max(sequence) as sequence from search_snapshots where tenant_id = ?
     group by generation having count(*) = max(parts) order by max(sequence) desc, generation desc`,
    [tenantId],
  )

export const readSnapshot = async (db: Sql, tenantId: string): Promise<StoredSnapshot | undefined> => {
  const newest = (await completeGenerations(db, tenantId))[0]
  if (!newest) return undefined
  const parts: Uint8Array[] = []
  // One by one: all at once might take longer than a statement may.
  for (let part = 0; part < newest.parts; part++) {
    const row = await db.get<{ data: Uint8Array }>(
      'select data from search_snapshots where tenant_id = ? and generation = ? and part = ?',
      [tenantId, newest.generation, part],
    )
    // Replaced by a newer one in this very moment.
    if (!row) return undefined
    parts.push(row.data)
  }
  return { sequence: newest.sequence, bytes: Buffer.concat(parts) }
}

/** A name that sorts after those given out before. */
const newGeneration = (): string => `${Date.now().toString(36).padStart(9, '0')}${randomBase62(11)}`

/**
 * Writes a snapshot and deletes those it replaces, half-written ones among them. Of two that are written side by side, by
 * two nodes, only one may replace the other, or none would be left: the one of the lower sequence, or
 * of the same sequence the one that was begun first.
 */
export const writeSnapshot = async (
  db: Sql,
  tenantId: string,
  snapshot: StoredSnapshot,
  isUrgent: () => boolean = () => false,
): Promise<void> => {
  const { bytes, sequence } = snapshot
  const generation = newGeneration()
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES))
  for (let part = 0; part < parts; part++) {
    await db.run(
      'insert into search_snapshots (tenant_id, generation, part, parts, sequence, data) values (?, ?, ?, ?, ?, ?)',
      [tenantId, generation, part, parts, sequence, bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES)],
    )
    if (!isUrgent()) await setTimeout(PAUSE_MS)
  }
  await db.run('delete from search_snapshots where tenant_id = ? and (sequence, generation) < (?, ?)', [
    tenantId,
    sequence,
    generation,
  ])
}

export const deleteSnapshots = async (db: Sql, tenantId: string): Promise<void> => {
  await db.run('delete from search_snapshots where tenant_id = ?', [tenantId])
}
