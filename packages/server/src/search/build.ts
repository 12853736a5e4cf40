import { setImmediate } from 'node:timers/promises'
import type { Sql } from '../db/port.js'
import { type KnowledgeRow, knowledgeRecord, type TaskRow, taskRecord } from './records.js'
import { itemsAfter, type KnowledgePlace, tasksAfter } from './store.js'
import { emptyTenantIndex, type TenantIndex } from './tenant-index.js'

// A page is what is analyzed in one go, so that others wait some milliseconds for it, and what is in memory at once.
const PAGE_ROWS = 200
const PAGE_CHARACTERS = 1_000_000

const nextPageSize = (texts: readonly string[]): number => {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  return Math.max(1, Math.min(PAGE_ROWS, Math.floor((PAGE_CHARACTERS * texts.length) / Math.max(1, characters))))
}

const readAll = async <R>(
  read: (last: R | undefined, count: number) => Promise<R[]>,
  textOf: (row: R) => string,
  add: (row: R) => void,
): Promise<void> => {
  let last: R | undefined
  for (let count = 10; ; ) {
    const rows = await read(last, count)
    for (const row of rows) add(row)
    if (rows.length < count) return
    last = rows.at(-1)
    count = nextPageSize(rows.map(textOf))
    await setImmediate()
  }
}

const start: KnowledgePlace = { project_id: '', key: '' }

/**
 * Reads all of a tenant's records. They go on changing meanwhile, so what is built is at least as new as `sequence`,
 * and following the log from there makes it right.
 */
export const buildTenant = async (
  db: Sql,
  tenantId: string,
  sequence: number,
  eventId: string | null,
): Promise<TenantIndex> => {
  const index = emptyTenantIndex(sequence, eventId)
  await readAll<TaskRow>(
    (last, count) => tasksAfter(db, tenantId, last?.id ?? '', count),
    (row) => row.doc,
    (row) => index.tasks.upsert(taskRecord(row)),
  )
  await readAll<KnowledgeRow>(
    (last, count) => itemsAfter(db, tenantId, last ?? start, count),
    (row) => row.content,
    (row) => index.knowledge.upsert(knowledgeRecord(row)),
  )
  return index
}
