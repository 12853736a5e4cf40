import type { Actor } from '../actor.js'
import type { Call } from '../call.js'
import { type Clock, isoTime } from '../clock.js'
import type { Db, Sql } from '../db/port.js'
import { AppError, notFound } from '../errors.js'
import { newId } from '../ids.js'
import { createKey, type KeyWithSecret } from '../keys/service.js'
import * as store from './store.js'

export type { Tenant } from './store.js'

/** The operator at the command line, who acts for a tenant without a key of it. */
const operator = (tenantId: string): Actor => ({
  tenantId,
  keyId: 'operator',
  keyName: 'command line',
  userId: null,
  scopes: ['admin'],
  projectIds: null,
  keyExpiresAt: null,
})

export const operatorCall = (db: Sql, clock: Clock, tenantId: string): Call => ({
  db,
  clock,
  actor: operator(tenantId),
})

export const tenantNamed = async (db: Sql, ref: string): Promise<store.Tenant> => {
  const tenant = await store.findTenant(db, ref)
  if (!tenant) throw notFound(`tenant "${ref}"`)
  return tenant
}

export const listTenants = (db: Sql): Promise<store.Tenant[]> => store.listTenants(db)

export const plansInUse = (db: Sql): Promise<string[]> => store.plansInUse(db)

/** A tenant and its first admin key. */
export const createTenant = (
  db: Db,
  clock: Clock,
  input: { name: string; plan: string; secret?: string | undefined },
): Promise<{ tenant: store.Tenant; key: KeyWithSecret }> =>
  db.transaction(async (tx) => {
    const tenant = { id: newId('ten'), name: input.name, plan: input.plan, createdAt: isoTime(clock()) }
    if (!(await store.insertTenant(tx, tenant))) {
      throw new AppError('CONFLICT', `There is a tenant "${input.name}" already. Choose another name.`)
    }
    const key = await createKey(operatorCall(tx, clock, tenant.id), { name: 'admin', scopes: ['admin'] }, input.secret)
    return { tenant, key }
  })

export const setPlan = async (db: Db, ref: string, plan: string): Promise<store.Tenant> => {
  const tenant = await tenantNamed(db, ref)
  await store.setPlan(db, tenant.id, plan)
  return { ...tenant, plan }
}

/** With everything that belongs to it. */
export const deleteTenant = (db: Db, ref: string): Promise<store.Tenant> =>
  db.transaction(async (tx) => {
    const tenant = await tenantNamed(tx, ref)
    await store.deleteTenant(tx, tenant.id)
    return tenant
  })
