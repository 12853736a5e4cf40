import { statementOn } from '../../../db/given-rows.js'
import type { Sql } from '../../../db/port.js'
import { ofVisibleProject } from '../../../db/project-conditions.js'
import type { Trust } from '../fields.js'
import type { Lifecycle, StoredMeta } from '../stored-meta.js'

export interface SearchedItem {
  id: string
  project_id: string
  key: string
  version: number
  updated_at: number
  lifecycle: Lifecycle
  /** The id of the item that replaces this one. */
  superseded_by: string | null
  valid_until: number | null
  trust: Trust
  meta: StoredMeta
  /** A JSON string literal. */
  content: string
}

interface ItemName {
  subject: string
  changed_at: number
}

const columns = `k.id, k.project_id, k.key, k.version, k.updated_at, k.lifecycle, k.superseded_by, k.valid_until, k.trust, k.meta, k.content`

// A cross join keeps SQLite to this order: a look-up for each row given, never a reading of the whole table.
export const findItems = async (db: Sql, tenantId: string, ids: readonly string[]): Promise<SearchedItem[]> => {
  const { text, params } = statementOn(
    db,
    'items to search',
    { id: 'text' },
    ids.map((id) => ({ id })),
    (given) => `select ${columns} from ${given} cross join knowledge k where k.tenant_id = ? and k.id = given.id
        and ${ofVisibleProject('k')}`,
  )
  return db.all(text, [...params, tenantId])
}

/** Returns the next items after an ID, in ID order; with `projectId`, only items of that project. */
export const listItemsAfter = async (
  db: Sql,
  tenantId: string,
  id: string,
  count: number,
  projectId?: string,
): Promise<SearchedItem[]> =>
  db.all(
    `select ${columns} from knowledge k where k.tenant_id = ? and k.id > ?${projectId === undefined ? '' : ' and k.project_id = ?'}
       and ${ofVisibleProject('k')} order by k.id limit cast(? as bigint)`,
    [tenantId, id, ...(projectId === undefined ? [] : [projectId]), count],
  )

export const listItemNamesAfter = async (db: Sql, tenantId: string, id: string, count: number): Promise<ItemName[]> =>
  db.all(
    `select id as subject, updated_at as changed_at from knowledge
     where tenant_id = ? and id > ? and ${ofVisibleProject('knowledge')} order by id limit cast(? as bigint)`,
    [tenantId, id, count],
  )
