import type { CallOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { Tenant, UpdateTenantBody } from '../types.gen.js'

export interface TenantResource {
  get(options?: CallOptions): Promise<Tenant>
  /** Pauses all work, or resumes it with null. Requires an admin key. */
  update(changes: UpdateTenantBody, options?: CallOptions): Promise<Tenant>
}

export const createTenant = (transport: Transport): TenantResource => ({
  get: (options) => transport.fetchData({ method: 'GET', path: '/v1/tenant', ...options }),
  update: (body, options) => transport.fetchData({ method: 'PATCH', path: '/v1/tenant', body, ...options }),
})
