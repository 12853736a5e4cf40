import { actorRef, requireProject } from '../actor.js'
import { type Awaitable, andThen } from '../awaitable.js'
import { type Call, changing } from '../call.js'
import { isoTime } from '../clock.js'
import { notFound } from '../errors.js'
import { changedFields, maxEventDataLength, record } from '../events/record.js'
import { type ProjectContents, takeTaskNumber } from '../projects/service.js'
import { userNamed } from '../users/service.js'
import { checkPreconditions, type Preconditions } from '../versions.js'
import { cleanFields } from './fields.js'
import type { NewTask, TaskPatch } from './schema.js'
import * as store from './store.js'

/** A task as its answer's JSON, and what the answer's headers need of it. */
export interface TaskAnswer {
  id: string
  version: number
  json: string
}

const taskId = /^[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,14}$/

const assigneeOf = (json: string): unknown => JSON.parse(json).assignee

const withoutDescription = (json: string): string =>
  JSON.stringify({ ...JSON.parse(json), description: undefined, truncated: true })

const eventData = (json: string): string => (json.length <= maxEventDataLength ? json : withoutDescription(json))

const answerOf = (doc: store.TaskDoc, assignee: unknown): TaskAnswer => ({
  id: doc.id,
  version: doc.version,
  json: JSON.stringify({ ...doc, assignee }),
})

const assigneeNamed = async (
  call: Call,
  id: string | null | undefined,
): Promise<{ id: string; name: string } | null> => {
  if (id === null || id === undefined) return null
  const user = await userNamed(call, id, 'assigneeId')
  return { id: user.id, name: user.name }
}

export const getTask = (call: Call, id: string): Awaitable<TaskAnswer> =>
  andThen(taskId.test(id) ? store.findTaskJson(call.db, call.actor.tenantId, id) : undefined, (found) => {
    if (!found) throw notFound(`task "${id}"`)
    requireProject(call.actor, found.project_id)
    return { id, version: found.version, json: found.json }
  })

export const createTask = async (call: Call, input: NewTask): Promise<TaskAnswer> => {
  const fields = cleanFields(input)
  return changing(call, async (call) => {
    const assignee = await assigneeNamed(call, fields.assigneeId)
    const project = await takeTaskNumber(call, fields.projectId)
    const now = isoTime(call.clock())
    const doc: store.TaskDoc = {
      id: `${project.key}-${project.number}`,
      projectId: project.id,
      title: fields.title,
      description: fields.description ?? '',
      status: fields.status ?? 'todo',
      priority: fields.priority ?? 'medium',
      labels: fields.labels ?? [],
      dueDate: fields.dueDate ?? null,
      version: 1,
      createdAt: now,
      updatedAt: now,
      createdBy: actorRef(call.actor),
    }
    await store.insertTask(call.db, call.actor.tenantId, doc, assignee?.id ?? null)
    const answer = answerOf(doc, assignee)
    await record(call, { type: 'task.created', subject: doc.id, projectId: project.id, data: eventData(answer.json) })
    return answer
  })
}

const lockedTask = async (call: Call, id: string): Promise<store.StoredTask> => {
  const found = taskId.test(id) ? await store.lockTask(call.db, call.actor.tenantId, id) : undefined
  if (!found) throw notFound(`task "${id}"`)
  requireProject(call.actor, found.doc.projectId)
  return found
}

/** Applies the fields to a task that is locked; what stays the same is no change. */
const change = async (call: Call, stored: store.StoredTask, fields: TaskPatch): Promise<TaskAnswer> => {
  const { assigneeId, ...patch } = fields
  const before = { ...stored.doc, assignee: assigneeOf(stored.json) }
  const assignee = assigneeId === undefined ? before.assignee : await assigneeNamed(call, assigneeId)
  const changed = changedFields(before, { ...before, ...patch, assignee })
  if (Object.keys(changed).length === 0) return { id: stored.id, version: stored.version, json: stored.json }
  const doc: store.TaskDoc = {
    ...stored.doc,
    ...patch,
    version: stored.version + 1,
    updatedAt: isoTime(call.clock()),
  }
  const newAssigneeId = assigneeId === undefined ? stored.assigneeId : assigneeId
  await store.updateTask(call.db, call.actor.tenantId, stored, doc, newAssigneeId, 'labels' in changed)
  const answer = answerOf(doc, assignee)
  await record(call, {
    type: 'task.updated',
    subject: doc.id,
    projectId: doc.projectId,
    data: eventData(answer.json),
    previous: eventData(JSON.stringify(changed)),
  })
  return answer
}

export const updateTask = async (
  call: Call,
  id: string,
  patch: TaskPatch,
  preconditions: Preconditions,
): Promise<TaskAnswer> => {
  const fields = cleanFields(patch)
  return changing(call, async (call) => {
    const stored = await lockedTask(call, id)
    checkPreconditions(preconditions, stored.version)
    return change(call, stored, fields)
  })
}

export const deleteTask = (call: Call, id: string, preconditions: Preconditions): Promise<void> =>
  changing(call, async (call) => {
    const stored = await lockedTask(call, id)
    checkPreconditions(preconditions, stored.version)
    await store.deleteTask(call.db, call.actor.tenantId, stored)
    await record(call, {
      type: 'task.deleted',
      subject: id,
      projectId: stored.doc.projectId,
      data: eventData(stored.json),
    })
  })

/** Takes a user who is being deleted from their tasks, each a change of its own. */
export const unassignUser = async (call: Call, userId: string): Promise<void> => {
  for (const id of await store.taskIdsAssignedTo(call.db, call.actor.tenantId, userId)) {
    const stored = await store.lockTask(call.db, call.actor.tenantId, id)
    if (stored) await change(call, stored, { assigneeId: null })
  }
}

export const projectTasks: ProjectContents = {
  hasAny: (call, { id }) => store.hasProjectTasks(call.db, call.actor.tenantId, id),
  deleteAll: (call, { id }) => store.deleteProjectTasks(call.db, call.actor.tenantId, id),
}
