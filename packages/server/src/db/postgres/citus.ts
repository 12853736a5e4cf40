import type { Sql } from '../port.js'
import { coordinatorTables, sharedTables } from '../shared-tables.js'

/** How a table is kept: unknown to Citus, on the coordinator for all nodes, on every node, or spread by tenant. */
export type TableKind = 'local' | 'coordinator' | 'reference' | 'distributed'

interface StoredTable {
  name: string
  kind: TableKind
  hasTenant: boolean
  /** Other tables that its foreign keys refer to. */
  refersTo: readonly string[]
}

export const hasCitus = async (sql: Sql): Promise<boolean> =>
  (await sql.get("select 1 as one from pg_extension where extname = 'citus'")) !== undefined

/** The tables of a store whose database has Citus. */
export const listTables = async (sql: Sql): Promise<StoredTable[]> => {
  const rows = await sql.all<Omit<StoredTable, 'refersTo'> & { refers_to: string | null }>(
    `select c.relname as name,
       case when p.logicalrelid is null then 'local' when p.partmethod <> 'n' then 'distributed'
         when p.repmodel = 't' then 'reference' else 'coordinator' end as kind,
       exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as "hasTenant",
       (select string_agg(distinct f.confrelid::regclass::text, ',') from pg_constraint f
        where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as refers_to
     from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by c.relname`,
  )
  return rows.map(({ refers_to, ...table }) => ({ ...table, refersTo: refers_to?.split(',') ?? [] }))
}

const root = 'tenants'

const kindOf = ({ name, hasTenant }: StoredTable): TableKind => {
  if (sharedTables.has(name)) return 'reference'
  if (coordinatorTables.has(name)) return 'coordinator'
  if (hasTenant) return 'distributed'
  throw new Error(`The table ${name} has no tenant_id and is not a shared table, so Citus cannot distribute it.`)
}

const statementFor = (table: StoredTable): string => {
  if (kindOf(table) === 'reference') return `select create_reference_table('${table.name}')`
  if (kindOf(table) === 'coordinator') return `select citus_add_local_table_to_metadata('${table.name}')`
  const beside = table.name === root ? 'none' : root
  return `select create_distributed_table('${table.name}', 'tenant_id', colocate_with => '${beside}')`
}

/** Distributes the tables that are not, those that others refer to first; answers their names. */
export const distributeTables = async (tx: Sql): Promise<string[]> => {
  const tables = await listTables(tx)
  for (const table of tables) {
    if (table.kind !== 'local' && table.kind !== kindOf(table))
      throw new Error(`The table ${table.name} is kept as a ${table.kind} table, but must be a ${kindOf(table)} table.`)
  }
  // Statements on tables that refer to each other use one connection to each node.
  await tx.run("set local citus.multi_shard_modify_mode = 'sequential'")
  const done = new Set(tables.filter(({ kind }) => kind !== 'local').map(({ name }) => name))
  const distributed: string[] = []
  let left = tables.filter(({ name }) => !done.has(name))
  while (left.length > 0) {
    const next = left.filter(
      ({ name, refersTo }) => (name === root || done.has(root)) && refersTo.every((other) => done.has(other)),
    )
    if (next.length === 0)
      throw new Error(`These tables cannot be distributed: ${left.map(({ name }) => name).join(', ')}.`)
    for (const table of next) {
      await tx.run(statementFor(table))
      done.add(table.name)
      distributed.push(table.name)
    }
    left = left.filter(({ name }) => !done.has(name))
  }
  return distributed
}

const isDistributed = async (tx: Sql): Promise<boolean> =>
  (await listTables(tx)).some(({ name, kind }) => name === root && kind === 'distributed')

/**
 * Distributes what a migration created, where the store is distributed or has no tenant yet. A store that has some is
 * distributed when its operator says so, since it takes long.
 */
export const distributeMigrated = async (tx: Sql, isLast: boolean): Promise<void> => {
  if (await isDistributed(tx)) return void (await distributeTables(tx))
  if (isLast && !(await tx.get('select tenant_id from tenants limit 1'))) await distributeTables(tx)
}

interface CitusNode {
  address: string
  isActive: boolean
  shards: number
  tenants: number
}

/** The nodes that hold shards, each with how many tenants are on it. */
export const listNodes = async (sql: Sql): Promise<CitusNode[]> =>
  sql.all(
    `with placed as (select get_shard_id_for_distribution_column('tenants', tenant_id) as shard from tenants)
     select n.nodename || ':' || n.nodeport as address, n.isactive as "isActive",
       count(distinct s.shardid) as shards, (select count(*) from placed
         where shard in (select o.shardid from pg_dist_placement o join pg_dist_shard h on h.shardid = o.shardid
           where o.groupid = n.groupid and h.logicalrelid = 'tenants'::regclass)) as tenants
     from pg_dist_node n join pg_dist_placement m on m.groupid = n.groupid
     join pg_dist_shard s on s.shardid = m.shardid and s.logicalrelid = 'tenants'::regclass
     group by n.nodename, n.nodeport, n.isactive, n.groupid order by 1`,
  )
