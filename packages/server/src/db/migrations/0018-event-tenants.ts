import type { Migration } from '../migration.js'

/**
 * An event is inserted by a statement that selects from its tenant's row. PostgreSQL would look that row up again, with a
 * statement of its own for each event.
 */
export const eventTenants: Migration = {
  version: 18,
  name: 'tenants of events',
  statements: ({ name }) => (name === 'postgres' ? ['alter table events drop constraint events_tenant_id_fkey'] : []),
}
