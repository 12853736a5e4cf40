import { type Awaitable, andThen } from '../awaitable.js'
import { isoTime } from '../clock.js'
import type { Sql } from '../db/port.js'
import { placeholders } from '../paging.js'
import type { Project } from './schema.js'

interface ProjectRow {
  id: string
  key: string
  name: string
  description: string
  version: number
  last_number: number
  created_at: number
  updated_at: number
}

export interface StoredProject {
  project: Project
  lastNumber: number
  createdAtMs: number
}

const columns = 'id, key, name, description, version, last_number, created_at, updated_at'

const stored = (row: ProjectRow): StoredProject => ({
  project: {
    id: row.id,
    key: row.key,
    name: row.name,
    description: row.description,
    version: row.version,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  },
  lastNumber: row.last_number,
  createdAtMs: row.created_at,
})

/** A project is named by its id or its key; the two cannot be mistaken, since a key has no underscore. */
const columnOf = (ref: string): 'id' | 'key' => (ref.startsWith('prj_') ? 'id' : 'key')

export const findProject = async (
  db: Sql,
  tenantId: string,
  ref: string,
  lock: '' | 'forUpdate' | 'forShare' = '',
): Promise<StoredProject | undefined> => {
  const row = await db.get<ProjectRow>(
    `select ${columns} from projects where tenant_id = ? and ${columnOf(ref)} = ?${lock && db.dialect[lock]}`,
    [tenantId, ref],
  )
  return row && stored(row)
}

export const findProjectId = (db: Sql, tenantId: string, ref: string): Awaitable<string | undefined> =>
  andThen(
    db.get<{ id: string }>(`select id from projects where tenant_id = ? and ${columnOf(ref)} = ?`, [tenantId, ref]),
    (row) => row?.id,
  )

export const listProjects = async (
  db: Sql,
  tenantId: string,
  onlyIds: readonly string[] | null,
  after: readonly [createdAt: number, id: string] | undefined,
  count: number,
): Promise<StoredProject[]> => {
  const only = onlyIds ? ` and id in (${placeholders(onlyIds)})` : ''
  const from = after ? ' and (created_at, id) > (?, ?)' : ''
  const rows = await db.all<ProjectRow>(
    `select ${columns} from projects where tenant_id = ?${only}${from} order by created_at, id limit ?`,
    [tenantId, ...(onlyIds ?? []), ...(after ?? []), count],
  )
  return rows.map(stored)
}

/** Answers false where the key is taken. */
export const insertProject = async (
  db: Sql,
  tenantId: string,
  project: Project,
  lastNumber: number,
  nowMs: number,
): Promise<boolean> => {
  const inserted = await db.run(
    `insert into projects (tenant_id, id, key, name, description, version, last_number, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (tenant_id, key) do nothing`,
    [tenantId, project.id, project.key, project.name, project.description, project.version, lastNumber, nowMs, nowMs],
  )
  return inserted === 1
}

export const updateProject = async (db: Sql, tenantId: string, project: Project, nowMs: number): Promise<void> => {
  await db.run(
    'update projects set name = ?, description = ?, version = ?, updated_at = ? where tenant_id = ? and id = ?',
    [project.name, project.description, project.version, nowMs, tenantId, project.id],
  )
}

/** Takes the next task number of a project, holding the project's row until the transaction ends. */
export const takeNumber = (
  db: Sql,
  tenantId: string,
  ref: string,
): Promise<{ id: string; key: string; number: number } | undefined> => {
  return Promise.resolve(
    db.get(
      `update projects set last_number = last_number + 1 where tenant_id = ? and ${columnOf(ref)} = ?
       returning id, key, last_number as number`,
      [tenantId, ref],
    ),
  )
}

export const deleteProject = async (
  db: Sql,
  tenantId: string,
  { project, lastNumber }: StoredProject,
): Promise<void> => {
  await db.run('delete from projects where tenant_id = ? and id = ?', [tenantId, project.id])
  await db.run(
    `insert into retired_projects (tenant_id, key, last_number, last_version) values (?, ?, ?, ?)
     on conflict (tenant_id, key) do update set last_number = excluded.last_number, last_version = excluded.last_version`,
    [tenantId, project.key, lastNumber, project.version],
  )
}

export const findRetiredProject = async (
  db: Sql,
  tenantId: string,
  key: string,
): Promise<{ last_number: number; last_version: number } | undefined> =>
  db.get('select last_number, last_version from retired_projects where tenant_id = ? and key = ?', [tenantId, key])
