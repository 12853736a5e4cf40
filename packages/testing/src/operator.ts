import { type Call, operatorCall } from 'worklore/dist/src/operations/call.js'
import { createTenant } from 'worklore/dist/src/tenancy/tenants/service.js'
import { dropFirstUser, type TestTenant, tenantOf } from './harness.js'

let tenants = 0

/** Another tenant of the same service. */
export const createTestTenant = async ({ service }: Pick<TestTenant, 'service'>, plan = 'self-hosted') => {
  const { db, clock } = service.core
  const { tenant, key } = await createTenant(db, clock, { name: `tenant ${++tenants}`, plan })
  await dropFirstUser(service, tenant.id)
  return tenantOf(service, tenant.id, key.secret)
}

/** The same; answers the secret of its admin key. */
export const addTenant = async (wl: TestTenant, plan?: string): Promise<string> =>
  (await createTestTenant(wl, plan)).adminKey

/** A call for a tenant beside its API, for what a test needs in bulk. */
export const operatorCallOf = ({ service, tenantId }: TestTenant): Call =>
  operatorCall(service.core.db, service.core.clock, tenantId)
