import type { CallOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { Tenant, UpdateTenantBody } from '../types.gen.js'

export const createTenant = (transport: Transport) => ({
  get: (options: CallOptions = {}): Promise<Tenant> =>
    transport.fetchData({ method: 'GET', path: '/v1/tenant', ...options }),
  /** Pauses everything, or resumes it with null. Needs an admin key. */
  update: (changes: UpdateTenantBody, options: CallOptions = {}): Promise<Tenant> =>
    transport.fetchData({ method: 'PATCH', path: '/v1/tenant', body: changes, ...options }),
})

export type TenantResource = ReturnType<typeof createTenant>
