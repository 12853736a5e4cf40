import type { Call } from '../src/call.js'
import { createTenant, listTenants, operatorCall } from '../src/tenants/service.js'
import type { TestService } from './harness.js'

let tenants = 0

/** Another tenant of the same service; answers the secret of its admin key. */
export const addTenant = async (wl: TestService, plan = 'self-hosted'): Promise<string> => {
  const { db, clock } = wl.service.core
  const { key } = await createTenant(db, clock, { name: `tenant ${++tenants}`, plan })
  return key.secret
}

/** A call for the first tenant beside its API, for what a test needs in bulk. */
export const operatorCallOf = async (wl: TestService): Promise<Call> => {
  const { db, clock } = wl.service.core
  const [first] = await listTenants(db)
  return operatorCall(db, clock, first!.id)
}
