import { type Clock, isoTime, systemClock } from '../../base/clock.js'
import { AppError, notFound } from '../../base/errors.js'
import { newId } from '../../base/ids.js'
import { audit, noTenant } from '../../changelog/audit/service.js'
import type { Db, Sql } from '../../db/port.js'
import { keysTopic } from '../../db/topics.js'
import { operatorCall } from '../../operations/call.js'
import { createKey, type KeyWithSecret } from '../keys/service.js'
import * as store from './store.js'

export type { Tenant } from './store.js'

export const tenantNamed = async (db: Sql, ref: string): Promise<store.Tenant> => {
  const tenant = await store.findTenant(db, ref)
  if (!tenant) throw notFound(`tenant "${ref}"`)
  return tenant
}

export const listTenants = (db: Sql): Promise<store.Tenant[]> => store.listTenants(db)

export const listTenantIds = (db: Sql): Promise<string[]> => store.listTenantIds(db)

export const plansInUse = (db: Sql): Promise<string[]> => store.plansInUse(db)

/** A tenant and its first admin key. */
export const createTenant = (
  db: Db,
  clock: Clock,
  input: { name: string; plan: string; secret?: string | undefined },
): Promise<{ tenant: store.Tenant; key: KeyWithSecret }> => {
  const tenant = { id: newId('ten'), name: input.name, plan: input.plan, createdAt: isoTime(clock()) }
  return db.transaction(async (tx) => {
    if (!(await store.insertTenant(tx, tenant))) {
      throw new AppError('CONFLICT', `Tenant "${input.name}" already exists. Choose another name.`)
    }
    await audit(operatorCall(tx, clock, tenant.id), 'tenant.created', {
      subject: tenant.id,
      details: { name: tenant.name, plan: tenant.plan },
    })
    const key = await createKey(operatorCall(tx, clock, tenant.id), { name: 'admin', scopes: ['admin'] }, input.secret)
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

/** With everything that belongs to it. */
export const deleteTenant = async (db: Db, ref: string, clock: Clock = systemClock): Promise<store.Tenant> => {
  const { id } = await tenantNamed(db, ref)
  return db.transaction(async (tx) => {
    const tenant = await tenantNamed(tx, id)
    await store.deleteTenant(tx, id)
    await audit(operatorCall(tx, clock, noTenant), 'tenant.deleted', {
      subject: tenant.id,
      details: { name: tenant.name, plan: tenant.plan },
    })
    tx.announce(keysTopic(tenant.id))
    return tenant
  }, id)
}
