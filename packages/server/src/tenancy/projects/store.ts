import { type Awaitable, andThen } from '../../base/awaitable.js'
import type { ProjectSet } from '../../base/project-set.js'
import type { Row } from '../../base/record.js'
import type { Sql } from '../../db/port.js'
import { inProjects, projectColumn } from '../../db/project-conditions.js'
import { parsePaused } from '../pauses/schema.js'
import { type Project, projectRecord } from './schema.js'
import { parseStatuses, type Statuses } from './statuses.js'

const projectRow = projectRecord.row

const columns = `${projectRow.columns()}, last_number`

export interface StoredProject {
  project: Project
  lastNumber: number
}

type ProjectRow = Row & { last_number: number }

const stored = (found: ProjectRow): StoredProject => ({
  project: projectRow.read(found),
  lastNumber: found.last_number,
})

export const findProject = async (db: Sql, tenantId: string, ref: string): Promise<StoredProject | undefined> => {
  const row = await db.get<ProjectRow>(
    `select ${columns} from projects where tenant_id = ? and ${projectColumn(ref)} = ? and deleting_at is null`,
    [tenantId, ref],
  )
  return row && stored(row)
}

export const findProjectId = (db: Sql, tenantId: string, ref: string): Awaitable<string | undefined> =>
  andThen(
    db.lookup<{ id: string }>(
      `select id from projects where tenant_id = ? and ${projectColumn(ref)} = ? and deleting_at is null`,
      [tenantId, ref],
    ),
    (row) => row?.id,
  )

/** Those of some projects that are paused. */
export const listPaused = async (
  db: Sql,
  tenantId: string,
  ids: readonly string[],
): Promise<Pick<Project, 'id' | 'key' | 'paused'>[]> => {
  const rows = await db.all<{ id: string; key: string; paused: string }>(
    `select id, key, paused from projects
     where tenant_id = ? and paused is not null and ${db.dialect.isAmong('id', 'text')}`,
    [tenantId, db.dialect.listOf(ids)],
  )
  return rows.map(({ id, key, paused }) => ({ id, key, paused: parsePaused(paused) }))
}

/** Whether the tenant has a project that is paused or deleted. */
export const hasStopped = async (db: Sql, tenantId: string): Promise<boolean> => {
  const row = await db.get<{ id: string }>(
    `select id from (select id from projects where tenant_id = ? and paused is not null
                     union all select id from projects where tenant_id = ? and deleting_at is not null) stopped limit 1`,
    [tenantId, tenantId],
  )
  return row !== undefined
}

export const listRunningIds = async (db: Sql, tenantId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>(
    'select id from projects where tenant_id = ? and paused is null and deleting_at is null order by id',
    [tenantId],
  )
  return rows.map(({ id }) => id)
}

/** Finds the statuses of a project, deleted or not. */
export const findStatuses = async (db: Sql, tenantId: string, id: string): Promise<Statuses> => {
  const row = await db.get<{ statuses: string | null }>(
    'select statuses from projects where tenant_id = ? and id = ?',
    [tenantId, id],
  )
  return parseStatuses(row?.statuses ?? null)
}

/** The statuses of all projects that have their own. */
export const listStatuses = async (
  db: Sql,
  tenantId: string,
): Promise<{ projectId: string; statuses: NonNullable<Statuses> }[]> => {
  const rows = await db.all<{ id: string; statuses: string }>(
    'select id, statuses from projects where tenant_id = ? and statuses is not null and deleting_at is null',
    [tenantId],
  )
  return rows.map(({ id, statuses }) => ({ projectId: id, statuses: parseStatuses(statuses)! }))
}

export const listProjects = async (
  db: Sql,
  tenantId: string,
  wanted: ProjectSet,
  after: readonly [createdAt: number, id: string] | undefined,
  count: number,
): Promise<StoredProject[]> => {
  const [ofSet, ids] = inProjects(db.dialect, 'id', wanted)
  const from = after ? ' and (created_at, id) > (?, ?)' : ''
  const rows = await db.all<ProjectRow>(
    `select ${columns} from projects where tenant_id = ? and deleting_at is null${ofSet}${from} order by created_at, id limit cast(? as bigint)`,
    [tenantId, ...ids, ...(after ?? []), count],
  )
  return rows.map(stored)
}

/** Inserts a project, or returns false if the key is in use. */
export const insertProject = async (
  db: Sql,
  tenantId: string,
  project: Project,
  lastNumber: number,
): Promise<boolean> => {
  const inserted = await db.run(
    `insert into projects (tenant_id, last_number, ${projectRow.insert.columns}) values (?, ?, ${projectRow.insert.marks})
     on conflict (tenant_id, key) where deleting_at is null do nothing`,
    [tenantId, lastNumber, ...projectRow.insert.values(project)],
  )
  return inserted === 1
}

export const updateProject = async (db: Sql, tenantId: string, project: Project): Promise<void> => {
  await db.run(`update projects set ${projectRow.update.assignments} where tenant_id = ? and id = ?`, [
    ...projectRow.update.values(project),
    ...[tenantId, project.id],
  ])
}

/** Marks a project as deleted and keeps its last number and version, so that a new project with its key continues them. */
export const hideProject = async (
  db: Sql,
  tenantId: string,
  { id, key, version }: Project,
  nowMs: number,
): Promise<void> => {
  await db.runAll([
    { text: 'update projects set deleting_at = ? where tenant_id = ? and id = ?', params: [nowMs, tenantId, id] },
    {
      text: `insert into retired_projects (tenant_id, key, last_number, last_version)
             select tenant_id, key, last_number, cast(? as bigint) from projects where tenant_id = ? and id = ? and key = ?
             on conflict (tenant_id, key)
             do update set last_number = excluded.last_number, last_version = excluded.last_version`,
      params: [version, tenantId, id, key],
    },
  ])
}

/** Makes a deleted project visible again, as a new version. Its key must not be in use. */
export const showProject = async (
  db: Sql,
  tenantId: string,
  { id, version }: Pick<Project, 'id' | 'version'>,
  lastNumber: number,
  nowMs: number,
): Promise<void> => {
  await db.run(
    `update projects set deleting_at = null, version = ?, last_number = ?, updated_at = ?
     where tenant_id = ? and id = ?`,
    [version, lastNumber, nowMs, tenantId, id],
  )
}

export const findDeletedProject = async (db: Sql, tenantId: string, id: string): Promise<StoredProject | undefined> => {
  const row = await db.get<ProjectRow>(
    `select ${columns} from projects where tenant_id = ? and id = ? and deleting_at is not null`,
    [tenantId, id],
  )
  return row && stored(row)
}

export const listDeletedIds = async (db: Sql, tenantId: string): Promise<string[]> => {
  const rows = await db.all<{ id: string }>('select id from projects where tenant_id = ? and deleting_at is not null', [
    tenantId,
  ])
  return rows.map(({ id }) => id)
}

export const deleteProject = async (db: Sql, tenantId: string, id: string): Promise<void> => {
  await db.run('delete from projects where tenant_id = ? and id = ?', [tenantId, id])
}

export const findRetiredProject = async (
  db: Sql,
  tenantId: string,
  key: string,
): Promise<{ last_number: number; last_version: number } | undefined> =>
  db.get('select last_number, last_version from retired_projects where tenant_id = ? and key = ?', [tenantId, key])

export const raiseClaimBase = async (db: Sql, tenantId: string, step: number): Promise<void> => {
  await db.run('update projects set claim_base = claim_base + ? where tenant_id = ?', [step, tenantId])
}
