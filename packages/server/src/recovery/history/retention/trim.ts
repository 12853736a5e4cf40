import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../base/clock.js'
import type { Db } from '../../../db/port.js'
import type { Metrics } from '../../../observability/metrics.js'
import { eachInTurn } from '../../../scheduling/in-turns.js'
import { listTenantIds } from '../../../tenancy/tenants/service.js'
import { deleteVersions } from '../removal/forget.js'
import { type HistoryRow, hasMoreAfter, listAfter } from '../store.js'
import { findPositions, setPosition } from './position-store.js'

/** Of every record so many are kept, however old. */
const keptVersions = 100

const changesPerStep = 200
/** As long as one round lasts. */
const roundMs = 500
/** The next look at what was not old enough. */
const pauseMs = 3_600_000

const trimRow = (db: Db, tenantId: string, row: HistoryRow): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { record, sequence, place } = row
    if (!(await hasMoreAfter(tx, tenantId, record, [sequence, place], keptVersions))) return false
    await deleteVersions(tx, tenantId, record, [[sequence, place]], [0, sequence])
    return true
  }, tenantId)

const trimTenant = async (db: Db, tenantId: string, nowMs: number, beforeMs: number, metrics: Metrics) => {
  const positions = await findPositions(db, tenantId)
  if (positions.trimmed === 0 && nowMs - positions.trimmedAtMs < pauseMs) return
  const untilMs = performance.now() + roundMs
  for (let from = positions.trimmed; ; ) {
    const found = await listAfter(
      db,
      tenantId,
      'all',
      [from, Number.MAX_SAFE_INTEGER],
      Number.MAX_SAFE_INTEGER,
      changesPerStep,
    )
    const old = found.filter(({ created_at }) => created_at < beforeMs)
    for (const row of old) if (await trimRow(db, tenantId, row)) metrics.countTrimmedVersions(1)
    await setImmediate()
    const last = old.at(-1)
    if (!last || old.length < changesPerStep) {
      await setPosition(db, tenantId, 'trimmed', 0)
      await setPosition(db, tenantId, 'trimmedAtMs', nowMs)
      return
    }
    from = last.sequence
    await setPosition(db, tenantId, 'trimmed', from)
    if (performance.now() > untilMs) return
  }
}

/** Deletes versions that are both old and not among the last of their record, for all tenants. */
export const trimVersions = async (db: Db, clock: Clock, metrics: Metrics, keptForMs: number): Promise<void> => {
  const nowMs = clock()
  await eachInTurn(await listTenantIds(db), (tenantId) => trimTenant(db, tenantId, nowMs, nowMs - keptForMs, metrics))
}
