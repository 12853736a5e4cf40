import { type Awaitable, andThen } from '../../../base/awaitable.js'
import type { ProjectSet } from '../../../base/project-set.js'
import type { Dialect } from '../../../db/dialect.js'
import { insertRows, statementOn } from '../../../db/given-rows.js'
import type { Sql, Statement } from '../../../db/port.js'
import { inProjects, ofVisibleProject } from '../../../db/project-conditions.js'
import { coveredOf } from './rules.js'

/** A task as far as its resources go. */
export interface ResourcefulTask {
  taskId: string
  projectId: string
  resources: readonly string[]
  isClaimed: boolean
}

const columns = {
  task_id: 'text',
  resource: 'text',
  project_id: 'text',
  covered: 'bigint',
  reserved: 'bigint',
} as const

export const insertResources = (
  db: Sql,
  tenantId: string,
  { taskId, projectId, resources, isClaimed }: ResourcefulTask,
): Statement[] => {
  if (resources.length === 0) return []
  const covered = coveredOf(resources)
  const rows = resources.map((resource) => ({
    task_id: taskId,
    resource,
    project_id: projectId,
    covered: covered.has(resource) ? 1 : 0,
    reserved: isClaimed ? 1 : 0,
  }))
  return insertRows(db, tenantId, 'task_resources', columns, rows)
}

/** Queues the tasks again that were found to wait for resources of these. */
const unpark = (db: Sql, tenantId: string, taskIds: readonly string[]): Statement => ({
  text: `update ready_tasks set waits_for = null where tenant_id = ? and ${db.dialect.isAmong('waits_for', 'text')}`,
  params: [tenantId, db.dialect.listOf(taskIds)],
})

/** Takes ready tasks from the queue until the task that they wait for frees its resources. */
export const park = (db: Sql, tenantId: string, taskIds: readonly string[], holderId: string): Statement => ({
  text: `update ready_tasks set waits_for = ? where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')}`,
  params: [holderId, tenantId, db.dialect.listOf(taskIds)],
})

const areSame = (one: ResourcefulTask, other: ResourcefulTask): boolean =>
  one.resources.length === other.resources.length &&
  one.resources.every((resource, at) => resource === other.resources[at]) &&
  (one.resources.length === 0 || one.projectId === other.projectId)

/** Whether a change of a task frees a resource, for which others may wait. */
export const freesResources = (before: ResourcefulTask, after: ResourcefulTask): boolean =>
  before.isClaimed && before.resources.length > 0 && !(after.isClaimed && areSame(before, after))

export const updateResources = (
  db: Sql,
  tenantId: string,
  before: ResourcefulTask,
  after: ResourcefulTask,
): Statement[] => {
  const { taskId, isClaimed, resources } = after
  const hasSame = areSame(before, after)
  if (hasSame && (resources.length === 0 || before.isClaimed === isClaimed)) return []
  const table = 'task_resources'
  const ofTask = 'where tenant_id = ? and task_id = ?'
  const changes = hasSame
    ? [{ table, text: `update ${table} set reserved = ? ${ofTask}`, params: [isClaimed ? 1 : 0, tenantId, taskId] }]
    : [
        { table, text: `delete from ${table} ${ofTask}`, params: [tenantId, taskId] },
        ...insertResources(db, tenantId, after),
      ]
  return freesResources(before, after) ? [...changes, unpark(db, tenantId, [taskId])] : changes
}

/** The resources of tasks that are being deleted. */
export const deleteResources = (db: Sql, tenantId: string, taskIds: readonly string[]): Statement[] => [
  {
    text: `delete from task_resources where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')}`,
    params: [tenantId, db.dialect.listOf(taskIds)],
  },
  unpark(db, tenantId, taskIds),
]

const isFolder = (resource: string): string => `substr(${resource}, length(${resource})) = '/'`
const withoutSlash = (resource: string): string => `substr(${resource}, 1, length(${resource}) - 1)`

const ofOthers = (
  tenant: string,
): string => `from task_resources v where v.tenant_id = ${tenant} and v.project_id = x.project_id
  and v.reserved = 1 and v.task_id <> x.task_id`

// After a folder everything below it; after anything else nothing, since a space is the first character.
const endOfX = `case when ${isFolder('x.resource')} then ${withoutSlash('x.resource')} || '0' else x.resource || ' ' end`
const twinOfX = `case when ${isFolder('x.resource')} then ${withoutSlash('x.resource')} else x.resource || '/' end`

/**
 * The tasks that reserve what overlaps with the resource `x`, by looks along an index. What is reserved never overlaps, so
 * that the last one before the end of `x` is the only folder that can include it, and overlaps if anything below it does.
 */
const sameOrBelow = `select v.task_id ${ofOthers(':tenant')} and v.resource >= x.resource and v.resource < ${endOfX}`
const twin = `select v.task_id ${ofOthers(':tenant')} and v.resource = ${twinOfX}`
const lastOf = (
  tenant: string,
): string => `select f.task_id from (select v.task_id, v.resource ${ofOthers(tenant)} and v.covered = 0
    and v.resource < ${endOfX} order by v.resource desc limit 1) f
  where f.resource >= x.resource or (${isFolder('f.resource')} and substr(x.resource, 1, length(f.resource)) = f.resource)`

const anyHolderOf = (tenant: ':tenant' | '?'): string => `coalesce((${lastOf(tenant)}), (${twin} limit 1))`

/** A task that reserves what a task needs, whether or not its claim has run out; null where everything is free. */
export const holderOf = (taskId: string): string =>
  `(select holder from (select ${anyHolderOf(':tenant')} as holder from task_resources x
    where x.tenant_id = :tenant and x.task_id = ${taskId}) found where holder is not null limit 1)`

/** Whether anything is reserved, also by claims that have run out. Lists of ready tasks look at resources only then. */
export const areResourcesReserved = (db: Sql, tenantId: string): Awaitable<boolean> =>
  andThen(
    db.lookup<{ is_reserved: number }>(
      'select 1 as is_reserved from task_resources where tenant_id = ? and reserved = 1 limit 1',
      [tenantId],
    ),
    (row) => row !== undefined,
  )

/** Whether a task waits for a resource under a claim that has not run out. */
export const waitsForResource = ({ joinByKey }: Dialect, taskId: string): string =>
  `exists (select 1 from task_resources x where x.tenant_id = :tenant and x.task_id = ${taskId}
    and exists (select 1 from (${sameOrBelow} union all ${twin} union all ${lastOf(':tenant')}) o
      ${joinByKey('tasks', 'h', { tenant_id: ':tenant', id: 'o.task_id' })} where h.claim_expires_at > ?))`

/** A resource that a task needs and another one has reserved. */
export interface Overlap {
  taskId: string
  resource: string
  holderId: string
}

const givenColumns = { project_id: 'text', task_id: 'text', resource: 'text' } as const

/** What a task needs and others have reserved, whether or not the claims of these have run out. */
export const findOverlaps = async (
  db: Sql,
  tenantId: string,
  { taskId, projectId, resources }: Omit<ResourcefulTask, 'isClaimed'>,
): Promise<Overlap[]> => {
  const rows = resources.map((resource) => ({ project_id: projectId, task_id: taskId, resource }))
  const { text, params } = statementOn(
    db,
    'overlaps of resources',
    givenColumns,
    rows,
    (given) =>
      `select * from (
         select x.task_id as "taskId", x.resource, ${anyHolderOf('?')} as "holderId" from (select * from ${given}) x) found
       where "holderId" is not null order by "taskId", resource`,
  )
  return db.all(text, [tenantId, ...params])
}

interface ReservationRow {
  project_id: string
  resource: string
  task_id: string
  title: string
  claim: string
}

/** Where a page of reservations begins: after this one. */
export type ReservationPosition = [projectId: string, resource: string, taskId: string]

/** What live claims reserve, by project and resource. */
export const listReservations = async (
  db: Sql,
  tenantId: string,
  projectIds: ProjectSet,
  after: ReservationPosition,
  nowMs: number,
  count: number,
): Promise<ReservationRow[]> => {
  const { joinByKey, jsonField } = db.dialect
  const [ofProjects, projects] = inProjects(db.dialect, 'v.project_id', projectIds)
  return db.all(
    `select v.project_id, v.resource, v.task_id, ${jsonField("h.card || '}'", 'title')} as title, h.claim
     from task_resources v ${joinByKey('tasks', 'h', { tenant_id: ':tenant', id: 'v.task_id' })}
     where v.tenant_id = ? and v.reserved = 1${ofProjects} and (v.project_id, v.resource, v.task_id) > (?, ?, ?)
       and h.claim_expires_at > ? and ${ofVisibleProject('v')}
     order by v.project_id, v.resource, v.task_id limit cast(? as bigint)`,
    [tenantId, ...projects, ...after, nowMs, count],
  )
}
