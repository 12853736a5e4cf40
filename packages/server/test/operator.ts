import { createTenant } from '../src/tenants/service.js'
import type { TestService } from './harness.js'

let tenants = 0

/** Another tenant of the same service; answers the secret of its admin key. */
export const addTenant = async (wl: TestService, plan = 'self-hosted'): Promise<string> => {
  const { db, clock } = wl.service.core
  const { key } = await createTenant(db, clock, { name: `tenant ${++tenants}`, plan })
  return key.secret
}
