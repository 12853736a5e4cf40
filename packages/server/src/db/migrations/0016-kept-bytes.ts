import type { Migration } from '../migration.js'

const bytesOf = (table: string, ...columns: string[]): string =>
  `coalesce((select sum(${columns.map((column) => `octet_length(${column})`).join(' + ')})
     from ${table} where tenant_id = tenants.tenant_id), 0)`

/** Kept versions and the trash count towards a tenant's stored bytes. */
export const keptBytes: Migration = {
  version: 16,
  name: 'kept bytes',
  statements: () => [
    `update tenants set stored_bytes =
       ${bytesOf('tasks', 'doc')} + ${bytesOf('comments', 'doc')} + ${bytesOf('knowledge', 'meta', 'content')} +
       ${bytesOf('history', 'before')} + ${bytesOf('history_packs', 'data')}`,
  ],
}
