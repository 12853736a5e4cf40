import { requireProject } from '../actor.js'
import { type Awaitable, andThen } from '../awaitable.js'
import { type Call, changing } from '../call.js'
import { isoTime } from '../clock.js'
import { AppError, invalid, notFound } from '../errors.js'
import { changedFields, record } from '../events/record.js'
import type { PageQuery } from '../fields.js'
import { newId } from '../ids.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../paging.js'
import { checkPreconditions, type Preconditions } from '../versions.js'
import type { NewProject, Project, ProjectPatch } from './schema.js'
import * as store from './store.js'

const existing = async (call: Call, ref: string, lock?: 'forUpdate'): Promise<store.StoredProject> => {
  const found = await store.findProject(call.db, call.actor.tenantId, ref, lock)
  if (!found) throw notFound(`project "${ref}"`)
  return found
}

export const getProject = async (call: Call, ref: string): Promise<Project> => {
  const { project } = await existing(call, ref)
  requireProject(call.actor, project.id)
  return project
}

const namesNone = (path: string, ref: string): AppError =>
  invalid({ path, message: `names no project: "${ref}"; GET /v1/projects lists them` })

/** The project that a field of a request names, which the actor must be allowed to use. */
export const projectNamed = async (
  call: Call,
  ref: string,
  path = 'projectId',
  lock?: 'forShare',
): Promise<Project> => {
  const found = await store.findProject(call.db, call.actor.tenantId, ref, lock)
  if (!found) throw namesNone(path, ref)
  requireProject(call.actor, found.project.id)
  return found.project
}

/** The same where its id will do. */
export const projectIdNamed = (call: Call, ref: string): Awaitable<string> =>
  andThen(store.findProjectId(call.db, call.actor.tenantId, ref), (id) => {
    if (id === undefined) throw namesNone('projectId', ref)
    requireProject(call.actor, id)
    return id
  })

/** The project of a new task and the number the task gets. */
export const takeTaskNumber = async (call: Call, ref: string): Promise<{ id: string; key: string; number: number }> => {
  const taken = await store.takeNumber(call.db, call.actor.tenantId, ref)
  if (!taken) throw namesNone('projectId', ref)
  requireProject(call.actor, taken.id)
  return taken
}

export const listProjects = async (call: Call, { limit = 50, cursor }: PageQuery): Promise<Page<Project>> => {
  const { tenantId, projectIds } = call.actor
  const fingerprint = listFingerprint([tenantId, 'projects', projectIds])
  const after =
    cursor === undefined ? undefined : decodeCursor<[number, string]>(cursor, fingerprint, ['integer', 'text'])
  const rows = await store.listProjects(call.db, tenantId, projectIds, after, limit + 1)
  const page = pageOf(rows, limit, (last) => encodeCursor(fingerprint, [last.createdAtMs, last.project.id]))
  return { ...page, items: page.items.map(({ project }) => project) }
}

export const createProject = (call: Call, input: NewProject): Promise<Project> =>
  changing(call, async (call) => {
    const { tenantId } = call.actor
    const nowMs = call.clock()
    const retired = await store.findRetiredProject(call.db, tenantId, input.key)
    const project: Project = {
      id: newId('prj'),
      key: input.key,
      name: input.name,
      description: input.description ?? '',
      version: (retired?.last_version ?? 0) + 1,
      createdAt: isoTime(nowMs),
      updatedAt: isoTime(nowMs),
    }
    const isInserted = await store.insertProject(call.db, tenantId, project, retired?.last_number ?? 0, nowMs)
    if (!isInserted) {
      throw new AppError('CONFLICT', `The key "${input.key}" belongs to another project. Choose another key.`)
    }
    await record(call, {
      type: 'project.created',
      subject: project.id,
      projectId: project.id,
      data: JSON.stringify(project),
    })
    return project
  })

export const updateProject = (
  call: Call,
  ref: string,
  patch: ProjectPatch,
  preconditions: Preconditions,
): Promise<Project> =>
  changing(call, async (call) => {
    const { project: before } = await existing(call, ref, 'forUpdate')
    checkPreconditions(preconditions, before.version)
    const changed = changedFields(before, { ...before, ...patch })
    if (Object.keys(changed).length === 0) return before
    const nowMs = call.clock()
    const after = { ...before, ...patch, version: before.version + 1, updatedAt: isoTime(nowMs) }
    await store.updateProject(call.db, call.actor.tenantId, after, nowMs)
    await record(call, {
      type: 'project.updated',
      subject: after.id,
      projectId: after.id,
      data: JSON.stringify(after),
      previous: JSON.stringify(changed),
    })
    return after
  })

/** What else belongs to a project; each feature tells how to count and to delete its own. */
export interface ProjectContents {
  hasAny(call: Call, project: Project): Promise<boolean>
  deleteAll(call: Call, project: Project): Promise<void>
}

export const deleteProject = (
  call: Call,
  ref: string,
  isForced: boolean,
  preconditions: Preconditions,
  contents: readonly ProjectContents[],
): Promise<Project> =>
  changing(call, async (call) => {
    const found = await existing(call, ref, 'forUpdate')
    const { project } = found
    checkPreconditions(preconditions, project.version)
    for (const content of contents) {
      if (isForced) await content.deleteAll(call, project)
      else if (await content.hasAny(call, project)) {
        throw new AppError('CONFLICT', `Project ${project.key} still has tasks or knowledge.`, {
          hint: 'Delete them first, or repeat the request with ?force=true to delete them with the project.',
        })
      }
    }
    await store.deleteProject(call.db, call.actor.tenantId, found)
    await record(call, {
      type: 'project.deleted',
      subject: project.id,
      projectId: project.id,
      data: JSON.stringify(project),
    })
    return project
  })
