import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../base/clock.js'
import { newId } from '../../../base/ids.js'
import { isErasing } from '../../../changelog/erasures/service.js'
import { maxPackBytes, packed, packFormat } from '../../../changelog/versions/pack-format.js'
import { readTexts } from '../../../changelog/versions/texts.js'
import type { Db } from '../../../db/port.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import type { Metrics } from '../../../observability/metrics.js'
import { eachInTurn } from '../../../scheduling/in-turns.js'
import { listTenantIds } from '../../../tenancy/tenants/service.js'
import { listAfter } from '../store.js'
import {
  countRows,
  findLastPack,
  type LastPack,
  listPacked,
  listUnpacked,
  type PackedRow,
  savePack,
} from './pack-store.js'
import { findPositions, setPosition } from './position-store.js'

/** A record that is just being worked on is packed later, in one go. */
const packDelayMs = 60_000
/** Fewer are not worth a pack. */
const minPackBytes = 16_384
const maxPackRows = 200

const changesPerStep = 500
/** As long as one round lasts. */
const roundMs = 1_000

/** Where the history of a record ends, so that it can be purged by itself, no pack goes on. */
const isEnd = ({ type }: PackedRow): boolean => type.endsWith('.deleted')

interface Batch {
  rows: PackedRow[]
  /** How many they take as they are stored. */
  storedBytes: number
  /** The pack that it extends. */
  extended: LastPack | undefined
}

/** The next versions that go into one pack, with those of the last pack where that has room. */
const nextBatch = async (db: Db, tenantId: string, record: string, upTo: number): Promise<Batch | undefined> => {
  const unpacked = await listUnpacked(db, tenantId, record, upTo)
  if (unpacked.reduce((sum, { bytes }) => sum + bytes, 0) < minPackBytes) return undefined
  const last = await findLastPack(db, tenantId, record)
  const before = last ? await listPacked(db, tenantId, record, last.id) : []
  const hasRoom = last && before.length < maxPackRows && last.raw_bytes + unpacked[0]!.bytes <= maxPackBytes
  const extended = hasRoom && before.length > 0 && !isEnd(before.at(-1)!) ? last : undefined
  const rows: PackedRow[] = extended ? before : []
  let bytes = extended ? extended.raw_bytes : 0
  let storedBytes = extended ? extended.bytes : 0
  for (const row of unpacked) {
    const isFull = rows.length >= maxPackRows || bytes + row.bytes > maxPackBytes
    if (rows.length > 0 && (isFull || isEnd(rows.at(-1)!))) break
    rows.push(row)
    bytes += row.bytes
    storedBytes += row.bytes
  }
  return { rows, storedBytes, extended }
}

/** Packs the next versions of a record; answers how many, and 0 where there are too few. */
const packNext = async (db: Db, tenantId: string, record: string, upTo: number): Promise<number> => {
  const batch = await nextBatch(db, tenantId, record, upTo)
  if (!batch) return 0
  const texts = readTexts(db, tenantId)
  const versions: string[] = []
  for (const row of batch.rows) {
    const version = await texts.before(row)
    // Purged or trimmed in this very moment: another round sees what is left.
    if (version === null) return 0
    versions.push(version)
  }
  const data = await packed(versions)
  const rawBytes = versions.reduce((sum, version) => sum + Buffer.byteLength(version), 0)
  const pack = { id: newId('pak'), record, format: packFormat, rawBytes, data, rows: batch.rows }
  return db.transaction(async (tx) => {
    // What was read above may tell of someone who is taken out of it just now.
    if (await isErasing(tx, tenantId)) return 0
    const current = batch.extended && (await findLastPack(tx, tenantId, record))
    const isSame =
      current?.id === batch.extended?.id && (await countRows(tx, tenantId, record, batch.rows)) === batch.rows.length
    if (!isSame) return 0
    await savePack(tx, tenantId, pack, batch.extended?.id)
    await countStoredBytes(tx, tenantId, data.byteLength - batch.storedBytes)
    return batch.rows.length
  }, tenantId)
}

const packTenant = async (db: Db, tenantId: string, metrics: Metrics, beforeMs: number, untilMs: number) => {
  if (await isErasing(db, tenantId)) return
  for (;;) {
    const { packed: from } = await findPositions(db, tenantId)
    const found = await listAfter(
      db,
      tenantId,
      'all',
      [from, Number.MAX_SAFE_INTEGER],
      Number.MAX_SAFE_INTEGER,
      changesPerStep,
    )
    const rows = found.filter(({ created_at }) => created_at < beforeMs)
    const last = rows.at(-1)
    if (!last) return
    for (const record of new Set(rows.filter((row) => row.before_version !== null).map((row) => row.record))) {
      for (let count = 1; count > 0; ) {
        count = await packNext(db, tenantId, record, last.sequence)
        metrics.countPackedVersions(count)
        await setImmediate()
      }
    }
    await setPosition(db, tenantId, 'packed', last.sequence)
    if (rows.length < changesPerStep || performance.now() > untilMs) return
  }
}

/** Compresses versions that were replaced a while ago, the versions of a record together. */
export const packVersions = async (db: Db, clock: Clock, metrics: Metrics): Promise<void> => {
  await eachInTurn(await listTenantIds(db), (tenantId) =>
    packTenant(db, tenantId, metrics, clock() - packDelayMs, performance.now() + roundMs),
  )
}
