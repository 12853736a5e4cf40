import type { Sql } from '../../../db/port.js'

/** Where an item was, or was moved to. A project is named by its key here, which outlives its id. */
export interface FormerAddress {
  projectKey: string
  key: string
}

interface Row {
  project_key: string
  key: string
}

const addressOf = ({ project_key, key }: Row): FormerAddress => ({ projectKey: project_key, key })

/** Where the item was moved that was at an address last. */
export const findMove = async (
  db: Sql,
  tenantId: string,
  { projectKey, key }: FormerAddress,
): Promise<FormerAddress | undefined> => {
  const row = await db.get<Row>(
    `select moved_to_project as project_key, moved_to_key as key from retired_knowledge
     where tenant_id = ? and project_key = ? and key = ? and moved_to_key is not null`,
    [tenantId, projectKey, key],
  )
  return row && addressOf(row)
}

/** The places where a key had an item that was moved away, up to a number of them. */
export const findPlacesMovedFrom = async (
  db: Sql,
  tenantId: string,
  key: string,
  count: number,
): Promise<FormerAddress[]> => {
  const rows = await db.all<Row>(
    `select project_key, key from retired_knowledge
     where tenant_id = ? and key = ? and moved_to_key is not null order by project_key limit cast(? as bigint)`,
    [tenantId, key, count],
  )
  return rows.map(addressOf)
}

/** The keys that lead to an address because an item was moved from there, at once or by way of others. */
export const listFormerKeys = async (
  db: Sql,
  tenantId: string,
  { projectKey, key }: FormerAddress,
  maxMoves: number,
  count: number,
): Promise<string[]> => {
  const rows = await db.all<{ key: string }>(
    `with recursive former (project_key, key, depth) as (
       select project_key, key, 1 from retired_knowledge
       where tenant_id = ? and moved_to_project = ? and moved_to_key = ?
       union all
       select r.project_key, r.key, former.depth + 1 from former
       join retired_knowledge r on r.tenant_id = ? and r.moved_to_project = former.project_key
         and r.moved_to_key = former.key
       where former.depth < cast(? as bigint))
     select distinct key from former limit cast(? as bigint)`,
    [tenantId, projectKey, key, tenantId, maxMoves, count],
  )
  return rows.map((row) => row.key)
}
