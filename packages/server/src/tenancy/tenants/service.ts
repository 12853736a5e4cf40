import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, isoTime, systemClock } from '../../base/clock.js'
import { AppError, notFound } from '../../base/errors.js'
import { newId } from '../../base/ids.js'
import { audit, noTenant } from '../../changelog/audit/service.js'
import { record } from '../../changelog/record.js'
import type { Db, Sql } from '../../db/port.js'
import { keysTopic, pausesTopic } from '../../db/topics.js'
import { type Call, operatorCall } from '../../operations/call.js'
import { changingAsAdmin } from '../keys/live-key.js'
import { createKey, type KeyWithSecret } from '../keys/service.js'
import type { PauseChange } from '../pauses/schema.js'
import { pausedAfter } from '../pauses/service.js'
import { createUser } from '../users/service.js'
import * as store from './store.js'

export const tenantNamed = async (db: Sql, ref: string): Promise<store.Tenant> => {
  const tenant = await store.findTenant(db, ref)
  if (!tenant) throw notFound('tenant', ref)
  return tenant
}

export const findTenantId = async (db: Sql, ref: string): Promise<string | undefined> =>
  (await store.findTenant(db, ref))?.id

export const listTenants = (db: Sql): Promise<store.Tenant[]> => store.listTenants(db)

export const listTenantIds = (db: Sql): Promise<string[]> => store.listTenantIds(db)

export const plansInUse = (db: Sql): Promise<string[]> => store.plansInUse(db)

/** A tenant and its first admin key, which belongs to a human admin. */
export const createTenant = (
  db: Db,
  clock: Clock,
  input: { name: string; plan: string; secret?: string | undefined },
): Promise<{ tenant: store.Tenant; key: KeyWithSecret }> => {
  const tenant = { id: newId('ten'), name: input.name, plan: input.plan, createdAt: isoTime(clock()), paused: null }
  return db.transaction(async (tx) => {
    if (!(await store.insertTenant(tx, tenant))) {
      throw new AppError('in_use', `Tenant "${input.name}" already exists. Choose another name.`)
    }
    await audit(operatorCall(tx, clock, tenant.id), 'tenant.created', {
      subject: tenant.id,
      details: { name: tenant.name, plan: tenant.plan },
    })
    const call = operatorCall(tx, clock, tenant.id)
    const { id: userId } = await createUser(call, { name: 'Admin', role: 'admin' })
    const key = await createKey(call, { name: 'admin', scopes: ['admin'], userId }, input.secret)
    return { tenant, key }
  }, tenant.id)
}

export const setPlan = (db: Db, ref: string, plan: string, clock: Clock = systemClock): Promise<store.Tenant> =>
  db.transaction(async (tx) => {
    const tenant = await tenantNamed(tx, ref)
    await store.setPlan(tx, tenant.id, plan)
    const details = { from: tenant.plan, to: plan }
    await audit(operatorCall(tx, clock, tenant.id), 'plan.changed', { subject: tenant.id, details })
    tx.announce(keysTopic(tenant.id))
    return { ...tenant, plan }
  })

/** Pauses or resumes everything. */
export const pauseTenant = (call: Call, change: PauseChange | undefined): Promise<store.Tenant> =>
  changingAsAdmin(call, async (call) => {
    const { tenantId } = call.actor
    const before = await tenantNamed(call.db, tenantId)
    const paused = pausedAfter(call, before.paused, change)
    if (paused === before.paused) return before
    const tenant = { ...before, paused }
    const type = paused ? 'tenant.paused' : 'tenant.resumed'
    await store.setPaused(call.db, tenantId, paused)
    await audit(call, type, { subject: tenantId, details: { paused } })
    await record(call, {
      type,
      subject: tenantId,
      projectId: '',
      data: JSON.stringify(tenant),
      previous: JSON.stringify({ paused: before.paused }),
    })
    call.db.announce(keysTopic(tenantId))
    call.db.announce(pausesTopic(tenantId))
    return tenant
  })

export const listDeletingTenants = (db: Sql): Promise<store.Tenant[]> => store.listDeleting(db)

const beginDeletion = (db: Db, tenant: store.Tenant, clock: Clock): Promise<void> =>
  db.transaction(async (tx) => {
    await store.markDeleting(tx, tenant.id, clock())
    await audit(operatorCall(tx, clock, noTenant), 'tenant.deleted', {
      subject: tenant.id,
      details: { name: tenant.name, plan: tenant.plan },
    })
    tx.announce(keysTopic(tenant.id))
  }, tenant.id)

/**
 * Rows deleted by the first step. Rows differ in size, so later steps adapt the number to how long earlier steps took.
 */
const firstStepRows = 20
export const maxStepRows = 1_000
/** A step of this length hardly delays other writers. */
const stepMs = 25
/** Writers of other processes poll the lock every few milliseconds. */
const restMs = 15

const emptyTable = async (db: Db, table: string, tenantId: string): Promise<number> => {
  const key = await store.keyWithinTenant(db, table)
  let total = 0
  for (let rows = firstStepRows; ; ) {
    const startedAtMs = performance.now()
    const deleted = await store.deleteSome(db, table, key, tenantId, rows)
    total += deleted
    if (deleted < rows) return total
    const isShort = performance.now() - startedAtMs < stepMs
    rows = isShort ? Math.min(maxStepRows, rows * 2) : Math.max(1, Math.floor(rows / 2))
    await pause(restMs)
  }
}

/**
 * Deletes a tenant with everything that belongs to it, in small steps. The tenant is unusable from the first step on.
 * If the process ends early, another call continues the deletion.
 */
export const deleteTenant = async (db: Db, ref: string, clock: Clock = systemClock): Promise<store.Tenant> => {
  const active = await store.findTenant(db, ref)
  if (active) await beginDeletion(db, active, clock)
  const tenant = active ?? (await store.findDeleting(db, ref))
  if (!tenant) throw notFound('tenant', ref)
  // The next pass deletes rows that requests in flight have added.
  for (let deleted = 1; deleted > 0; ) {
    deleted = 0
    for (const table of store.tablesOfTenant) deleted += await emptyTable(db, table, tenant.id)
  }
  await db.transaction((tx) => store.deleteTenant(tx, tenant.id), tenant.id)
  return tenant
}
