import type { Migration } from '../migration.js'

/** Tenants are embedded in turn. The index over all of them stays for nodes of older versions. */
export const embeddingTurns: Migration = {
  version: 44,
  name: 'embedding turns',
  minVersion: 42,
  statements: () => ['create index embedding_queue_of_tenant on embedding_queue (tenant_id, model, changed_at)'],
}
