import { AppError, isRefusal } from '../../base/errors.js'
import { endDeletion, isDeletionPending } from '../../changelog/deletions/service.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import { kindOfType, type Position } from '../../changelog/versions/version.js'
import { refuseOverStoredBytes } from '../../limits/quotas/stored-bytes.js'
import type { Actor } from '../../operations/actor.js'
import { type Call, changing, type Origin } from '../../operations/call.js'
import { beginRestore, finishRestore } from '../../tenancy/projects/restore.js'
import type { Project } from '../../tenancy/projects/schema.js'
import { currentProject, type ProjectRest } from '../../tenancy/projects/service.js'
import { restoreItemOfProject } from '../../work/knowledge/restore.js'
import { insertDeleted as insertComments } from '../../work/tasks/comments/trash.js'
import { insertDeleted as insertQuestion } from '../../work/tasks/questions/trash.js'
import { linkedInside, linkInside, linkOutside, relinkDependents } from '../../work/tasks/restore/links.js'
import { insertDeleted as insertTasks, type StoredTask, tasksAfter } from '../../work/tasks/restore/restore.js'
import { countAgain, settle } from '../../work/tasks/restore/settle.js'
import { deleteProjectStep } from '../deletions/project.js'
import { type DeletedRecord, deletionsAfter } from '../history/removal/deletions.js'
import { deletedTask, restoreTreeStep, startOfTree, type TreeProgress } from './restore-tree.js'
import type { StoredEntry } from './store.js'
import * as store from './store.js'

/**
 * A deleted project comes back in steps, each a short transaction. Until it is whole nobody finds it: what is still
 * being cleared goes first, then all records are put back, linked, counted, and told of. A large tree of tasks has one
 * stage, in which it grows from its top.
 */
const stages = ['tree', 'clear', 'insert', 'link', 'join', 'count', 'settle', 'show', 'dependents', 'end'] as const
type Stage = (typeof stages)[number]

interface Progress {
  stage: Stage
  /** Where the stage goes on: among the deleted records, or among the tasks. */
  after: Position
  afterTask: string
  project: Project
  /** Of a project. */
  rest?: ProjectRest
  /** Of a tree. */
  tree?: TreeProgress
  /** Who restores it, for the steps that the service makes by itself. */
  by: { actor: Actor; origin: Origin }
  /** When the caller made its last step; long after, the service goes on in its place. */
  steppedAtMs: number
  /** The deletion that is taken back, where it is an undo. */
  undoes: string | null
  skipped: SkippedLink[]
}

const recordsPerStep = 20
/** So long others have their turn after each step. */
export const pauseMs = 5
/** Links to tasks elsewhere are looked at one by one. */
const joinsPerStep = 20
const maxSkipped = 1_000

const progressOf = (entry: StoredEntry): Progress => JSON.parse(entry.progress!) as Progress

type Step = (call: Call, entry: StoredEntry, progress: Progress) => Promise<Progress>

const next = (progress: Progress): Progress => ({
  ...progress,
  stage: stages[stages.indexOf(progress.stage) + 1]!,
  after: [0, 0],
  afterTask: '',
})

const clear: Step = async (call, _entry, progress) => {
  const { project, rest } = progress
  if (await isDeletionPending(call, 'project', project.id)) {
    if (!(await deleteProjectStep(call, project))) return progress
    await endDeletion(call, 'project', project.id)
  }
  return { ...next(progress), project: await beginRestore(call, project, rest!) }
}

const undoesOf = ({ undoes }: Progress): string | undefined => undoes ?? undefined

const contentsAfter = (call: Call, entry: StoredEntry, { after: [sequence, place] }: Progress) =>
  deletionsAfter(call, [sequence || entry.lastSequence, place], entry.lastSequence, recordsPerStep)

const insert: Step = async (call, entry, progress) => {
  const records = await contentsAfter(call, entry, progress)
  const last = records.at(-1)
  if (!last) return next(progress)
  const { project } = progress
  const skipped = [...progress.skipped]
  for (const record of records) {
    const kind = kindOfType(record.type)
    if (kind === 'task') await insertTasks(call, [deletedTask(record)], skipped)
    else if (kind === 'comment') await insertComments(call, [record.before], project.id)
    else if (kind === 'question') await insertQuestion(call, record.before, project.id)
    else if (kind === 'knowledge') {
      await restoreItemOfProject(call, project, record.before, record, undoesOf(progress))
    }
  }
  return { ...progress, skipped, after: [last.sequence, last.place] }
}

/** A stage that goes over the tasks of the project. */
const overTasks =
  (count: number, act: (call: Call, found: readonly StoredTask[], progress: Progress) => Promise<void>): Step =>
  async (call, _entry, progress) => {
    const found = await tasksAfter(call, progress.project.id, progress.afterTask, count)
    const last = found.at(-1)
    if (!last) return next(progress)
    await act(call, found, progress)
    return { ...progress, afterTask: last.doc.id }
  }

/** Tells of the tasks that some are linked to which of them come back with the project. */
const insideOf = async (call: Call, found: readonly StoredTask[], { project }: Progress) => {
  const inside = await linkedInside(call, found, project.id)
  return (id: string): boolean => inside.has(id)
}

const tree: Step = async (call, entry, progress) => {
  const project = await currentProject(call, entry.projectId)
  if (!project) {
    throw new AppError('CONFLICT', `The project of ${entry.record} was deleted meanwhile. Restore that first.`)
  }
  const skipped = [...progress.skipped]
  const made = await restoreTreeStep(call, progress.tree!, project.maxAttempts, skipped)
  return made ? { ...progress, skipped, tree: made } : { ...progress, skipped, stage: 'end' }
}

const steps: Record<Exclude<Stage, 'end'>, Step> = {
  tree,
  clear,
  insert,
  link: overTasks(recordsPerStep, async (call, found, progress) =>
    linkInside(call, found, await insideOf(call, found, progress)),
  ),
  join: overTasks(joinsPerStep, async (call, found, progress) =>
    linkOutside(call, found, await insideOf(call, found, progress), progress.skipped),
  ),
  count: overTasks(recordsPerStep, (call, found) =>
    countAgain(
      call,
      found.map(({ doc }) => doc.id),
    ),
  ),
  settle: overTasks(recordsPerStep, (call, found, progress) =>
    settle(call, found, progress.project.maxAttempts, () => undoesOf(progress)),
  ),
  show: async (call, _entry, progress) => {
    await finishRestore(call, progress.project, undoesOf(progress))
    return next(progress)
  },
  dependents: async (call, entry, progress) => {
    const records = await contentsAfter(call, entry, progress)
    const last = records.at(-1)
    if (!last) return next(progress)
    const skipped = [...progress.skipped]
    for (const record of records) {
      if (kindOfType(record.type) !== 'task') continue
      const { version, rest } = deletedTask(record)
      await relinkDependents(call, version.id, rest.dependents, skipped)
    }
    return { ...progress, skipped, after: [last.sequence, last.place] }
  },
}

const startOf = async (call: Call, stage: Stage, project: Project): Promise<Progress> => {
  const { plan } = call
  const { secretHash, ...actor } = call.actor
  if (plan?.storedBytes) await refuseOverStoredBytes(call.db, actor.tenantId, plan.storedBytes, 0)
  return {
    stage,
    after: [0, 0],
    afterTask: '',
    project,
    by: { actor, origin: call.origin },
    steppedAtMs: call.clock(),
    undoes: null,
    skipped: [],
  }
}

/** Begins to restore a large tree of tasks. */
export const beginTree = async (
  call: Call,
  entry: StoredEntry,
  records: readonly DeletedRecord[],
  project: Project,
): Promise<void> => {
  const progress: Progress = { ...(await startOf(call, 'tree', project)), tree: startOfTree(records) }
  await store.setProgress(call.db, call.actor.tenantId, entry.id, 'restoring', progress)
  await store.noteUnderWay(call.db, call.actor.tenantId, 'restores', call.clock())
}

/** Begins to restore a project, whose key must be free. */
export const beginProject = async (
  call: Call,
  entry: StoredEntry,
  deleted: DeletedRecord,
  isUndo: boolean,
): Promise<void> => {
  const progress: Progress = {
    ...(await startOf(call, 'clear', JSON.parse(deleted.before) as Project)),
    rest: JSON.parse(deleted.rest!) as ProjectRest,
    // An undo leaves all steps to the service.
    ...(isUndo && { steppedAtMs: 0, undoes: deleted.event_id }),
  }
  await store.setProgress(call.db, call.actor.tenantId, entry.id, 'restoring', await clear(call, entry, progress))
  await store.noteUnderWay(call.db, call.actor.tenantId, 'restores', call.clock())
}

const stepOf = async (call: Call, entry: StoredEntry, progress: Progress): Promise<boolean> => {
  if (progress.stage === 'end') return true
  const { db, actor, clock } = call
  // What was asked for is done to the end: a quota was looked at when it began, and the steps are small.
  const inside = { ...call, ...progress.by, plan: undefined, work: undefined }
  const made = await steps[progress.stage](inside, entry, progress)
  const skipped = made.skipped.slice(0, maxSkipped)
  const steppedAtMs = progress.steppedAtMs && clock()
  await store.setProgress(db, actor.tenantId, entry.id, 'restoring', { ...made, skipped, steppedAtMs })
  return made.stage === 'end'
}

const restoringEntry = async (call: Call, id: string): Promise<StoredEntry | undefined> => {
  const entry = await store.findEntry(call.db, call.actor.tenantId, id)
  return entry?.state === 'restoring' ? entry : undefined
}

/** Goes on with what is being restored in steps; answers whether it is whole. */
export const restoreStep = (call: Call, entryId: string): Promise<boolean> =>
  changing(call, async (call) => {
    const entry = await restoringEntry(call, entryId)
    return !entry || stepOf(call, entry, progressOf(entry))
  })

/** Takes what is whole out of the trash; answers what could not be restored of it. */
export const endRestore = async (call: Call, entry: StoredEntry): Promise<SkippedLink[]> => {
  const { stage, skipped } = progressOf(entry)
  if (stage === 'end') await store.deleteEntry(call.db, call.actor.tenantId, entry.id)
  return skipped
}

const abandonedAfterMs = 5_000

/** When the service goes on with an entry in place of its caller. */
export const abandonedAtMs = (entry: StoredEntry): number => progressOf(entry).steppedAtMs + abandonedAfterMs

/** The same by the service, for a caller that has gone away; answers whether nothing is left to do. */
export const continueRestore = (call: Call, entryId: string): Promise<boolean> =>
  changing(call, async (call) => {
    const entry = await restoringEntry(call, entryId)
    if (!entry) return true
    const progress = progressOf(entry)
    if (progress.steppedAtMs > call.clock() - abandonedAfterMs) return true
    if (!(await stepOf(call, entry, { ...progress, steppedAtMs: 0 }))) return false
    await store.deleteEntry(call.db, call.actor.tenantId, entry.id)
    return true
  }).catch((error) => {
    // Whoever asked for it is told.
    if (isRefusal(error)) return true
    throw error
  })
