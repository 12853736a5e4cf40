import type { Dialect } from '../dialect.js'
import type { Migration } from '../migration.js'

/** SQLite keeps a column's unique constraint for as long as its table, so there the table is made anew. */
const dropUniqueName = ({ name, keyText }: Dialect): string[] =>
  name === 'postgres'
    ? ['alter table tenants drop constraint tenants_name_key']
    : [
        `create table tenants_rebuilt (
          tenant_id ${keyText} primary key,
          name text not null,
          plan text not null,
          last_sequence bigint not null default 0,
          created_at bigint not null
        )`,
        `insert into tenants_rebuilt (tenant_id, name, plan, last_sequence, created_at)
         select tenant_id, name, plan, last_sequence, created_at from tenants`,
        'drop table tenants',
        'alter table tenants_rebuilt rename to tenants',
      ]

/** What is unique across tenants moves to tables of its own, so that all others can be distributed by tenant. */
export const sharedTables: Migration = {
  version: 5,
  name: 'shared tables',
  statements: (dialect) => [
    `create table tenant_names (
      name ${dialect.keyText} primary key,
      tenant_id ${dialect.keyText} not null
    )${dialect.clustered}`,
    'insert into tenant_names (name, tenant_id) select name, tenant_id from tenants',
    'create index tenant_names_by_tenant on tenant_names (tenant_id)',
    ...dropUniqueName(dialect),

    `create table key_hashes (
      hash ${dialect.keyText} primary key,
      tenant_id ${dialect.keyText} not null,
      key_id ${dialect.keyText} not null
    )${dialect.clustered}`,
    'insert into key_hashes (hash, tenant_id, key_id) select hash, tenant_id, key_id from key_secrets',
    'create index key_hashes_by_tenant on key_hashes (tenant_id)',
    'drop index key_secrets_by_hash',
  ],
}
