/**
 * The tables that belong to no tenant: what must be unique or found across tenants. Every other table holds the rows
 * of tenants, has `tenant_id` in each of its unique indexes, and can be spread over machines by it.
 */
export const sharedTables: ReadonlySet<string> = new Set([
  'schema_migrations',
  'tenant_names',
  'key_hashes',
  'secret_keys',
])

/**
 * What every node looks at often. It is kept on one machine: written on each, as the shared tables are, it would fail for
 * all tenants where one machine is gone.
 */
export const coordinatorTables: ReadonlySet<string> = new Set(['due_work'])
