import { statementOn } from '../../../db/given-rows.js'
import type { Sql } from '../../../db/port.js'
import { ofVisibleProject } from '../../../db/project-conditions.js'
import type { Trust } from '../schema.js'
import type { Lifecycle, StoredMeta } from '../stored-meta.js'

export interface ItemPlace {
  project_id: string
  key: string
}

export interface SearchedItem extends ItemPlace {
  version: number
  updated_at: number
  lifecycle: Lifecycle
  superseded_by: string | null
  valid_until: number | null
  trust: Trust
  meta: StoredMeta
  /** A JSON string literal. */
  content: string
}

interface ItemName {
  project_id: string
  subject: string
  changed_at: number
}

const columns = `k.project_id, k.key, k.version, k.updated_at, k.lifecycle, k.superseded_by, k.valid_until, k.trust, k.meta, k.content`

// A cross join keeps SQLite to this order: a look-up for each row given, never a reading of the whole table.
export const findItems = async (db: Sql, tenantId: string, places: readonly ItemPlace[]): Promise<SearchedItem[]> => {
  const { text, params } = statementOn(
    db,
    'items to search',
    { project_id: 'text', key: 'text' },
    places.map(({ project_id, key }) => ({ project_id, key })),
    (given) =>
      `select ${columns} from ${given} cross join knowledge k
       where k.tenant_id = ? and k.project_id = given.project_id and k.key = given.key
         and ${ofVisibleProject('k')}`,
  )
  return db.all(text, [...params, tenantId])
}

export const listItemsAfter = async (
  db: Sql,
  tenantId: string,
  { project_id, key }: ItemPlace,
  count: number,
): Promise<SearchedItem[]> =>
  db.all(
    `select ${columns} from knowledge k where k.tenant_id = ? and (k.project_id, k.key) > (?, ?) and ${ofVisibleProject('k')}
     order by k.project_id, k.key limit cast(? as bigint)`,
    [tenantId, project_id, key, count],
  )

export const listItemNamesAfter = async (
  db: Sql,
  tenantId: string,
  { project_id, key }: ItemPlace,
  count: number,
): Promise<ItemName[]> =>
  db.all(
    `select project_id, key as subject, updated_at as changed_at from knowledge
     where tenant_id = ? and (project_id, key) > (?, ?) and ${ofVisibleProject('knowledge')} order by project_id, key limit cast(? as bigint)`,
    [tenantId, project_id, key, count],
  )
