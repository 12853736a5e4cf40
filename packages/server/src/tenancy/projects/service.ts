import { type Awaitable, andThen, forEachInTurn } from '../../base/awaitable.js'
import { isoTime } from '../../base/clock.js'
import { AppError, type ErrorDetail, invalid, notFound } from '../../base/errors.js'
import type { PageQuery } from '../../base/fields.js'
import { newId } from '../../base/ids.js'
import { type Page, pagedList } from '../../base/paging.js'
import { includesProject, isListed, type ProjectSet } from '../../base/project-set.js'
import { checkPreconditions, type Preconditions } from '../../base/versions.js'
import { audit } from '../../changelog/audit/service.js'
import { changedFields, record } from '../../changelog/record.js'
import { type KeptVersion, recordName } from '../../changelog/versions/version.js'
import type { Sql } from '../../db/port.js'
import { keysTopic, pausesTopic, readyTopic } from '../../db/topics.js'
import { isHidden, mayUseProject, type Paused, requireProject } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import type { Hooks } from '../../operations/hooks.js'
import { checkLasting } from '../../operations/strength.js'
import { pausedAfter } from '../pauses/service.js'
import { listPrivateProjects, noteDeletedPrivate } from './members/store.js'
import { type NewProject, type Project, type ProjectPatch, projectRecord } from './schema.js'
import { type ProjectStatus, refuseUsed, removedStatuses, type Statuses } from './statuses.js'
import * as store from './store.js'

const defaultMaxAttempts = projectRecord.fields.maxAttempts.initial

const existing = async (call: Call, ref: string): Promise<store.StoredProject> => {
  const found = await store.findProject(call.db, call.actor.tenantId, ref)
  if (!found) throw missingProject(ref)
  return found
}

const missingProject = (ref: string): AppError => notFound('project', ref)

export const getProject = async (call: Call, ref: string): Promise<Project> => {
  const { project } = await existing(call, ref)
  requireProject(call, project.id, () => missingProject(ref))
  return project
}

/** A project as it stands, whoever asks. */
export const currentProject = async (call: Call, id: string): Promise<Project | undefined> =>
  (await store.findProject(call.db, call.actor.tenantId, id))?.project

const unknownDetail = (path: string, ref: string): ErrorDetail => ({
  path,
  message: `project "${ref}" not found`,
  record: 'project',
})

const unknownProject = (path: string, ref: string): AppError => invalid(unknownDetail(path, ref))

/** What to say of a reference to a project, if there is none. */
export const unknownProjectDetail = async (call: Call, ref: string, path: string): Promise<ErrorDetail | undefined> => {
  const id = await store.findProjectId(call.db, call.actor.tenantId, ref)
  return id === undefined || isHidden(call.actor, id) ? unknownDetail(path, ref) : undefined
}

/** The project that a field of a request names, which the actor must be allowed to use. */
export const projectNamed = async (call: Call, ref: string, path = 'projectId'): Promise<Project> => {
  const found = await store.findProject(call.db, call.actor.tenantId, ref)
  if (!found) throw unknownProject(path, ref)
  requireProject(call, found.project.id, () => unknownProject(path, ref))
  return found.project
}

/** How often tasks of a project are handed out, read once for each project. */
export const createMaxAttempts = (call: Call): ((projectId: string) => Promise<number>) => {
  const known = new Map<string, number>()
  return async (projectId) => {
    const maxAttempts =
      known.get(projectId) ??
      (await store.findProject(call.db, call.actor.tenantId, projectId))?.project.maxAttempts ??
      defaultMaxAttempts
    known.set(projectId, maxAttempts)
    return maxAttempts
  }
}

export const defaultChecksOf = async (call: Call, projectId: string): Promise<Project['defaultChecks']> =>
  (await store.findProject(call.db, call.actor.tenantId, projectId))?.project.defaultChecks ?? []

/** Those of some projects that are paused. */
export const pausedAmong = ({ db, actor }: Call, ids: readonly string[]): ReturnType<typeof store.listPaused> =>
  store.listPaused(db, actor.tenantId, ids)

/**
 * Lists the projects of a set that are neither paused nor deleted. Returns the set itself if it is already a list, or
 * if the tenant has no paused or deleted projects.
 */
export const listIfSomeStopped = async ({ db, actor }: Call, set: ProjectSet): Promise<ProjectSet> => {
  if (isListed(set) || !(await store.hasStopped(db, actor.tenantId))) return set
  const running = await store.listRunningIds(db, actor.tenantId)
  return running.filter((id) => includesProject(set, id))
}

/** Also of a project that is coming back. */
export const statusesOf = ({ db, actor }: Call, projectId: string): Promise<Statuses> =>
  store.findStatuses(db, actor.tenantId, projectId)

/** Those of all projects that the actor may use and that have their own; one may have another category elsewhere. */
export const usableStatuses = async ({ db, actor }: Call): Promise<ProjectStatus[]> =>
  (await store.listStatuses(db, actor.tenantId))
    .filter(({ projectId }) => mayUseProject(actor, projectId))
    .flatMap(({ statuses }) => statuses)

/** Returns the IDs of the projects that a filter names. Throws if any is unknown or hidden from the actor. */
export const projectIdsNamed = (call: Call, refs: readonly string[]): Awaitable<string[]> =>
  andThen(
    forEachInTurn(refs, (ref) => store.findProjectId(call.db, call.actor.tenantId, ref)),
    (ids) => {
      const isKnown = (id: string | undefined): id is string => id !== undefined && !isHidden(call.actor, id)
      const unknown = refs.filter((_, at) => !isKnown(ids[at]))
      if (unknown.length > 0) {
        throw invalid(...unknown.map((ref) => unknownDetail('projectId', ref)))
      }
      const known = ids.filter(isKnown)
      for (const id of known) requireProject(call, id, () => unknownProject('projectId', id))
      return known
    },
  )

/** The same where its id will do. */
export const projectIdNamed = (call: Call, ref: string): Awaitable<string> =>
  andThen(store.findProjectId(call.db, call.actor.tenantId, ref), (id) => {
    if (id === undefined) throw unknownProject('projectId', ref)
    requireProject(call, id, () => unknownProject('projectId', ref))
    return id
  })

/** Which of the keys are those of projects that the actor may use. */
export const existingProjectKeys = async (call: Call, keys: readonly string[]): Promise<Set<string>> => {
  const found = new Set<string>()
  for (const key of keys) {
    const id = await store.findProjectId(call.db, call.actor.tenantId, key)
    if (id !== undefined && mayUseProject(call.actor, id)) found.add(key)
  }
  return found
}

export const listProjects = async (call: Call, query: PageQuery): Promise<Page<Project>> => {
  const { tenantId, projectIds } = call.actor
  const page = await pagedList(query, {
    list: [tenantId, 'projects', projectIds],
    kinds: ['integer', 'text'],
    read: (after, count) => store.listProjects(call.db, tenantId, projectIds, after, count),
    placeOf: ({ project: { createdAt, id } }) => [Date.parse(createdAt), id],
  })
  return { ...page, items: page.items.map(({ project }) => project) }
}

const readFields = <Input extends object>(input: Input) => {
  const [fields, problems] = projectRecord.read(input)
  if (problems.length > 0) throw invalid(...problems)
  return fields
}

const takenKey = (key: string): AppError =>
  new AppError('in_use', `Project key "${key}" is already in use. Choose another key.`)

/** Callers know which projects are hidden from them. */
const maxPrivateProjects = 1_000

/** Lets callers look again at what they may see. */
const changeVisibility = async (call: Call, { id, visibility }: Project): Promise<void> => {
  const { tenantId } = call.actor
  if (visibility === 'private' && (await listPrivateProjects(call.db, tenantId)).length > maxPrivateProjects) {
    throw new AppError(
      'limit',
      `A tenant can have at most ${maxPrivateProjects} private projects, those in the trash included.`,
    )
  }
  await audit(call, 'project.visibility_changed', { subject: id, details: { visibility } })
  call.db.announce(keysTopic(tenantId))
}

export const createProject = async (call: Call, input: NewProject): Promise<Project> => {
  const fields = readFields(input)
  return changing(call, async (call) => {
    const { tenantId } = call.actor
    const nowMs = call.clock()
    const retired = await store.findRetiredProject(call.db, tenantId, input.key)
    const project = projectRecord.make(fields, {
      id: newId('prj'),
      version: (retired?.last_version ?? 0) + 1,
      createdAt: isoTime(nowMs),
      updatedAt: isoTime(nowMs),
    })
    const isInserted = await store.insertProject(call.db, tenantId, project, retired?.last_number ?? 0)
    if (!isInserted) throw takenKey(input.key)
    if (project.visibility === 'private') await changeVisibility(call, project)
    await record(call, {
      type: 'project.created',
      subject: project.id,
      projectId: project.id,
      data: JSON.stringify(project),
      kept: { record: recordName.project(project.id), version: project.version, beforeVersion: null, before: null },
    })
    return project
  })
}

const changePause = async (call: Call, { id, paused }: Project): Promise<void> => {
  await audit(call, paused ? 'project.paused' : 'project.resumed', { subject: id, details: { paused } })
  call.db.announce(pausesTopic(call.actor.tenantId))
  // Tasks that were passed over can be handed out again.
  if (!paused) call.db.announce(readyTopic(call.actor.tenantId))
}

/** A change that is taken back brings the pause back as it was. */
type ProjectChange = Omit<ProjectPatch, 'paused'> & { paused?: ProjectPatch['paused'] | Paused }

export const updateProject = async (
  call: Call,
  { maxAttemptsChanged, countTasksByStatus }: Pick<Hooks, 'maxAttemptsChanged' | 'countTasksByStatus'>,
  ref: string,
  input: ProjectChange,
  preconditions: Preconditions,
): Promise<Project> => {
  const { paused: pause, ...patch } = readFields(input)
  return changing(call, async (call) => {
    const { project: before } = await existing(call, ref)
    checkPreconditions(preconditions, before.version)
    const paused = pausedAfter(call, before.paused, pause)
    const changed = changedFields(before, { ...before, ...patch, paused })
    if (Object.keys(changed).length === 0) return before
    const removed = patch.statuses === undefined ? [] : removedStatuses(before.statuses, patch.statuses)
    // No task is written meanwhile: the changes of a tenant are made one after the other.
    if (removed.length > 0) refuseUsed(removed, await countTasksByStatus(call, before))
    const after = { ...before, ...patch, paused, version: before.version + 1, updatedAt: isoTime(call.clock()) }
    await store.updateProject(call.db, call.actor.tenantId, after)
    await record(call, {
      type: 'project.updated',
      subject: after.id,
      projectId: after.id,
      data: JSON.stringify(after),
      previous: JSON.stringify(changed),
      kept: {
        record: recordName.project(after.id),
        version: after.version,
        beforeVersion: before.version,
        before: JSON.stringify(before),
      },
    })
    if ('visibility' in changed) {
      if (after.visibility === 'tenant') checkLasting(call.actor, 'make a private project visible to the tenant')
      await changeVisibility(call, after)
    }
    if ('paused' in changed) await changePause(call, after)
    if ('maxAttempts' in changed) await maxAttemptsChanged(call, after.id, before.maxAttempts, after.maxAttempts)
    return after
  })
}

/** Records of a feature that belong to a project. */
export interface ProjectContents {
  hasAny(call: Call, project: Project): Promise<boolean>
  /** Deletes up to `count` records and returns them, or none once none is left. */
  deleteSome(call: Call, project: Project, count: number): Promise<KeptVersion[]>
}

export const projectToDelete = async (call: Call, ref: string): Promise<Project> => (await existing(call, ref)).project

/** Deletes a project: readers find neither it nor its contents. */
export const hideProject = async (call: Call, project: Project): Promise<void> => {
  const { db, actor, clock } = call
  await record(call, {
    type: 'project.deleted',
    subject: project.id,
    projectId: project.id,
    data: JSON.stringify(project),
    entry: { title: project.name, count: 1 },
    kept: {
      record: recordName.project(project.id),
      version: project.version,
      beforeVersion: project.version,
      before: JSON.stringify(project),
    },
  })
  await store.hideProject(db, actor.tenantId, project, clock())
}

/** Makes a deleted project visible with all its contents, as its next version. */
export const showProject = async (call: Call, id: string, undoes?: string): Promise<Project> => {
  const { db, actor, clock } = call
  const deleted = await store.findDeletedProject(db, actor.tenantId, id)
  if (!deleted) throw missingProject(id)
  const { key } = deleted.project
  const current = await currentProject(call, key)
  if (current) {
    throw new AppError('in_use', `Project key "${key}" is in use again. Delete that project to restore this one.`, {
      existing: current.id,
    })
  }
  const nowMs = clock()
  const retired = await store.findRetiredProject(db, actor.tenantId, key)
  const project: Project = {
    ...deleted.project,
    version: Math.max(deleted.project.version, retired?.last_version ?? 0) + 1,
    updatedAt: isoTime(nowMs),
  }
  const lastNumber = Math.max(deleted.lastNumber, retired?.last_number ?? 0)
  await store.showProject(db, actor.tenantId, project, lastNumber, nowMs)
  await record(call, {
    type: 'project.restored',
    subject: id,
    projectId: id,
    data: JSON.stringify(project),
    ...(undoes !== undefined && { undoes }),
    kept: { record: recordName.project(id), version: project.version, beforeVersion: null, before: null },
  })
  return project
}

/** Returns a deleted project that was not purged. */
export const deletedProject = async ({ db, actor }: Call, id: string): Promise<Project | undefined> =>
  (await store.findDeletedProject(db, actor.tenantId, id))?.project

/** Returns the ids of the deleted projects that were not purged. */
export const deletedProjectIds = async ({ db, actor }: Call): Promise<ReadonlySet<string>> =>
  new Set(await store.listDeletedIds(db, actor.tenantId))

/** Removes a deleted project that has no contents left. */
export const removeProject = async ({ db, actor }: Call, { id, visibility }: Project): Promise<void> => {
  await store.deleteProject(db, actor.tenantId, id)
  if (visibility === 'private') await noteDeletedPrivate(db, actor.tenantId, id)
}

/** Lets the claims of tasks that are yet to be created begin to count further up. */
export const raiseClaimBase = (db: Sql, tenantId: string, step: number): Promise<void> =>
  store.raiseClaimBase(db, tenantId, step)
