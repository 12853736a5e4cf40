import { type Awaitable, andThen } from '../../base/awaitable.js'
import { isoTime } from '../../base/clock.js'
import { type AppError, invalid, notFound } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { checkPreconditions, type Preconditions } from '../../base/versions.js'
import { changedFields } from '../../changelog/record.js'
import type { Sql } from '../../db/port.js'
import { countStoredBytes } from '../../limits/quotas/stored-bytes.js'
import { actorRef, isHidden, requireProject } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import type { ProjectContents } from '../../tenancy/projects/service.js'
import { firstOf, parseStatuses, statusNamed } from '../../tenancy/projects/statuses.js'
import { findUser } from '../../tenancy/users/service.js'
import { mergedMetadata } from '../fields/metadata.js'
import { requireRightToReplace, withHumanChecks } from './checks/rights.js'
import { firstChecks, noWork, replaceChecks, wantedProblems } from './checks/rules.js'
import type { WantedCheck } from './checks/schema.js'
import { expireClaim } from './claims/expire.js'
import { ended, guard, hasLapsed, noClaims, renewed } from './claims/rules.js'
import { taskRecord } from './fields.js'
import { taskJsonOf, versionJsonOf } from './json-store.js'
import { takeNumber } from './number-store.js'
import { isClosed } from './queue/ready.js'
import { readFields } from './read-fields.js'
import { referenceProblems } from './reference-problems.js'
import { findReferenced } from './reference-store.js'
import { isTaskId } from './references.js'
import { requireAddedFree } from './resources/service.js'
import * as rows from './row-store.js'
import type { NewTask, Task, TaskPatch, TaskVersion } from './schema.js'
import { statusBefore } from './statuses/service.js'
import * as store from './store.js'
import { noCounts, type StoredTask, type TaskDoc } from './stored-task.js'
import { deletedVersionOf, storedBytesOfTask } from './write/record.js'
import { releaseDependents } from './write/remove.js'
import { writeTask, writeUnrecorded } from './write/write.js'

export type { StoredTask } from './stored-task.js'

/** A task as its answer's JSON, and what the answer's headers need of it. */
export interface TaskAnswer {
  id: string
  version: number
  /** How often what it shows has changed without a new version. */
  derived: number
  json: Json<Task>
}

export const answerOf = (task: StoredTask): TaskAnswer => ({
  id: task.doc.id,
  version: task.doc.version,
  derived: task.counts.derived,
  json: taskJsonOf(task),
})

/** Returns the assignee with this id, or undefined if there is no such user. */
const findAssignee = async (call: Call, id: string | null): Promise<Task['assignee'] | undefined> => {
  if (id === null) return null
  const user = await findUser(call, id)
  return user && { id: user.id, name: user.name }
}

const missingTask = (id: string): AppError => notFound('task', id)

export const getTask = (call: Call, id: string): Awaitable<TaskAnswer> =>
  andThen(isTaskId(id) ? store.findTaskJson(call.db, call.actor.tenantId, id) : undefined, (found) => {
    if (!found) throw missingTask(id)
    requireProject(call, found.project_id, () => missingTask(id))
    return { id, version: found.version, derived: found.derived_count, json: found.json }
  })

/** Returns the version of the task that an operation changes. */
export const taskVersion = async (call: Call, { taskId }: { taskId: string }): Promise<number> =>
  (await getTask(call, taskId)).version

/** Whether there is such a task, whoever asks. */
export const taskExists = async (call: Call, id: string): Promise<boolean> =>
  (await store.findTaskJson(call.db, call.actor.tenantId, id)) !== undefined

/** What tasks that are there are called, and the project that each is in. */
export const shownTasks = async (
  db: Sql,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<Task, 'title' | 'projectId'>>> => {
  const visible = await findReferenced(db, tenantId, ids)
  const tasks = await store.findTasks(
    db,
    tenantId,
    visible.map(({ id }) => id),
  )
  return new Map(tasks.map(({ doc }) => [doc.id, doc]))
}

/** A task as it stands, as its next version will be kept. */
export const currentTaskVersion = async (call: Call, id: string): Promise<Json<TaskVersion> | undefined> => {
  const task = await store.findTask(call.db, call.actor.tenantId, id)
  return task && versionJsonOf(task)
}

/** Returns a task as version JSON, even if its project is deleted. */
export const storedTaskVersion = async (call: Call, id: string): Promise<Json<TaskVersion> | undefined> => {
  const [task] = await store.findTasks(call.db, call.actor.tenantId, [id])
  return task && versionJsonOf(task)
}

/** Returns the fields of a request in the form in which they are stored. An error also reports dangling references. */
const checkedFields = async <T extends NewTask | TaskPatch>(call: Call, input: T, taskId?: string): Promise<T> => {
  const [fields, problems] = readFields(input)
  problems.push(...wantedProblems(fields.checks ?? []))
  if (problems.length === 0) return fields
  const task = taskId && isTaskId(taskId) ? await store.findTask(call.db, call.actor.tenantId, taskId) : undefined
  throw invalid(...problems, ...(await referenceProblems(call, fields, task)))
}

export const createTask = async (call: Call, input: NewTask): Promise<TaskAnswer> => {
  const fields = await checkedFields(call, input)
  return changing(call, async (call) => {
    const { projectId, assigneeId = null, checks: wanted = [], status, ...given } = fields
    const nowMs = call.clock()
    const found = await takeNumber(call.db, call.actor.tenantId, projectId, assigneeId, nowMs)
    const taken = found && !isHidden(call.actor, found.projectId) ? found : undefined
    if (taken) requireProject(call, taken.projectId, () => missingTask(projectId))
    const statuses = parseStatuses(taken?.statuses ?? null)
    const taskStatus = status === undefined ? firstOf(statuses, 'todo') : statusNamed(statuses, status)
    const lacksAssignee = assigneeId !== null && !taken?.assignee
    if (!taken || !taskStatus || lacksAssignee) {
      throw invalid(...(await referenceProblems(call, fields)))
    }
    const now = isoTime(nowMs)
    const defaults = isClosed(taskStatus.statusCategory) ? [] : (JSON.parse(taken.defaultChecks) as WantedCheck[])
    const checks = firstChecks(defaults, wanted)
    const doc = taskRecord.make(given, {
      id: `${taken.projectKey}-${taken.number}`,
      projectId: taken.projectId,
      ...taskStatus,
      checks,
      version: 1,
      createdAt: now,
      updatedAt: now,
      createdBy: actorRef(call.actor),
    })
    const task: StoredTask = {
      doc,
      assigneeId,
      assignee: taken.assignee === null ? null : (JSON.parse(taken.assignee) as Task['assignee']),
      claims: { ...noClaims, number: taken.claimBase },
      counts: noCounts,
      work: checks.length === 0 ? noWork : { ...noWork, lastCheck: checks.length },
      statuses,
      stale: null,
      wakeAtMs: null,
      number: taken.number,
      rank: taken.rank,
    }
    return answerOf(await writeTask(call, null, task, { type: 'task.created' }))
  })
}

/**
 * A task to be changed, whose claim, if it shows one, is live. The preconditions are about the task as a reader sees it,
 * before the end of its claim is written down.
 */
export const touchTask = async (call: Call, id: string, preconditions: Preconditions = {}): Promise<StoredTask> => {
  const task = await findTask(call, id)
  checkPreconditions(preconditions, task.doc.version)
  return hasLapsed(task.claims.current, call.clock()) ? expireClaim(call, task) : task
}

/** Like touchTask, without expiring the claim. */
export const findTask = async (call: Call, id: string): Promise<StoredTask> => {
  const found = isTaskId(id) ? await store.findTask(call.db, call.actor.tenantId, id) : undefined
  if (!found) throw missingTask(id)
  requireProject(call, found.doc.projectId, () => missingTask(id))
  return withRenewal(call, found)
}

/** Returns the task with the renewed claim that the transaction is about to store. */
const withRenewal = ({ claim, renewal, actor }: Call, task: StoredTask): StoredTask => {
  const { claims, counts, doc } = task
  if (!renewal || renewal.taskId !== doc.id || claims.current?.token !== claim) return task
  const renewedClaims = renewed(claims, claims.current!, actor, renewal.atMs)
  if (renewedClaims.current!.expiresAt === claims.current!.expiresAt) return task
  return { ...task, claims: renewedClaims, counts: { ...counts, derived: counts.derived + 1 } }
}

/** Applies the fields of a patch to a task. */
const change = async (call: Call, task: StoredTask, fields: TaskPatch): Promise<StoredTask> => {
  const { assigneeId, metadata: metadataPatch, checks: wanted, status, ...patch } = fields
  const assignee = assigneeId === undefined ? task.assignee : await findAssignee(call, assigneeId)
  const newStatus = status === undefined ? {} : statusNamed(task.statuses, status)
  if (assignee === undefined || !newStatus) {
    throw invalid(...(await referenceProblems(call, fields, task)))
  }
  const { checks, lastCheck } = replaceChecks(task.doc.checks, wanted ?? task.doc.checks, task.work.lastCheck)
  const work = await withHumanChecks(call, task, checks)
  const counted = lastCheck === work.lastCheck ? { ...task, work } : { ...task, work: { ...work, lastCheck } }
  return replaceFields(call, counted, {
    ...patch,
    ...newStatus,
    checks,
    metadata: mergedMetadata(task.doc.metadata, metadataPatch),
    assignee,
  })
}

/** While a claim is live, these are its holder's to change. */
const guardedFields = ['status', 'assignee', 'resources']

/** Puts fields in place of those that a task has; what stays the same is no change. */
export const replaceFields = async (
  call: Call,
  task: StoredTask,
  fields: Partial<TaskDoc> & Pick<Task, 'assignee'>,
): Promise<StoredTask> => {
  const { assignee, ...patch } = fields
  const before = { ...task.doc, assignee: task.assignee }
  const changed = changedFields(before, { ...before, ...fields })
  if (Object.keys(changed).length === 0) return task
  if (guardedFields.some((name) => name in changed)) guard(task.claims, call.claim, call.actor, call.clock())
  const doc: TaskDoc = {
    ...task.doc,
    ...patch,
    version: task.doc.version + 1,
    updatedAt: isoTime(call.clock()),
  }
  const isClaimEnded = 'status' in changed && doc.statusCategory !== 'in_progress'
  const after: StoredTask = {
    ...task,
    doc,
    assignee,
    assigneeId: assignee?.id ?? null,
    claims: 'status' in changed && (isClaimEnded || !task.claims.current) ? ended(task.claims) : task.claims,
  }
  if (after.claims.current) await requireAddedFree(call, task, doc.resources)
  const hadClaim = isClaimEnded && task.claims.current !== null
  const { status, statusCategory, ...others } = changed
  const previous = {
    ...others,
    ...statusBefore(task.doc, doc),
    ...(hadClaim && { claim: task.claims.current }),
  }
  return writeTask(call, task, after, { type: 'task.updated', previous })
}

export const updateTask = async (
  call: Call,
  id: string,
  patch: TaskPatch,
  preconditions: Preconditions,
): Promise<TaskAnswer> => {
  const fields = await checkedFields(call, patch, id)
  return changing(call, async (call) => {
    if (fields.checks) {
      const { doc, ...task } = await findTask(call, id)
      const { checks } = replaceChecks(doc.checks, fields.checks, task.work.lastCheck)
      await requireRightToReplace(call, { ...task, doc }, checks)
    }
    const task = await touchTask(call, id, preconditions)
    return answerOf(await change(call, task, fields))
  })
}

/** Keeps the number of comments that a task shows. */
export const countComments = async (call: Call, id: string, step: 1 | -1): Promise<void> => {
  await rows.countComments(call.db, call.actor.tenantId, id, step)
}

const unassignDeleted = async (call: Call, id: string): Promise<void> => {
  const [task] = await store.findTasks(call.db, call.actor.tenantId, [id])
  if (task) await writeUnrecorded(call, task, { ...task, assignee: null, assigneeId: null })
}

/**
 * Unassigns up to `count` tasks of a user who is being deleted, each as a change of its own, and returns their number. In
 * deleted projects, tasks are unassigned without a change.
 */
export const unassignUser = async (
  call: Call,
  { id: userId, name }: { id: string; name: string },
  count: number,
): Promise<number> => {
  const ids = await store.taskIdsAssignedTo(call.db, call.actor.tenantId, userId, count)
  for (const id of ids) {
    const task = await store.findTask(call.db, call.actor.tenantId, id)
    // The user may be gone already, and with them what the task shows of them.
    if (task) await change(call, { ...task, assignee: { id: userId, name } }, { assigneeId: null })
    else await unassignDeleted(call, id)
  }
  return ids.length
}

export const projectTasks: ProjectContents = {
  hasAny: (call, { id }) => store.hasProjectTasks(call.db, call.actor.tenantId, id),
  deleteSome: async (call, { id }, count) => {
    const { db, actor } = call
    const tasks = await store.findProjectTasks(db, actor.tenantId, id, count)
    const ids = tasks.map(({ doc }) => doc.id)
    const released = await releaseDependents(call, ids, id)
    await rows.deleteTasks(db, actor.tenantId, ids)
    const bytes = tasks.reduce((sum, task) => sum + storedBytesOfTask(task), 0)
    await countStoredBytes(db, actor.tenantId, -bytes)
    return tasks.map((task) => deletedVersionOf(task, released.get(task.doc.id)))
  },
}
