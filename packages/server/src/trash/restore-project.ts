import type { Actor } from '../actor.js'
import { type Call, changing, type Origin } from '../call.js'
import { insertDeleted as insertComments } from '../comments/restore.js'
import { endDeletion, isDeletionPending } from '../deletions/service.js'
import { type DeletedRecord, deletionsAfter } from '../history/deletions.js'
import type { SkippedLink } from '../history/schema.js'
import { kindOfType, type Position } from '../history/version.js'
import { restoreItem } from '../knowledge/restore.js'
import { deleteProjectStep } from '../projects/delete.js'
import { beginRestore, finishRestore } from '../projects/restore.js'
import type { Project } from '../projects/schema.js'
import type { ProjectRest } from '../projects/service.js'
import { refuseOverStoredBytes } from '../quotas/stored-bytes.js'
import * as tasks from '../tasks/restore.js'
import type { TaskVersion } from '../tasks/schema.js'
import type { TaskRest } from '../tasks/write.js'
import type { StoredEntry } from './store.js'
import * as store from './store.js'

/**
 * A deleted project comes back in steps, each a short transaction. Until it is whole nobody finds it: what is still
 * being cleared goes first, then all records are put back, linked, counted, and told of.
 */
const stages = ['clear', 'insert', 'link', 'join', 'count', 'settle', 'show', 'dependents', 'end'] as const
type Stage = (typeof stages)[number]

interface Progress {
  stage: Stage
  /** Where the stage goes on: among the deleted records, or among the tasks. */
  after: Position
  afterTask: string
  project: Project
  rest: ProjectRest
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
  return { ...next(progress), project: await beginRestore(call, project, rest) }
}

const deletedTask = ({ before, rest }: DeletedRecord): tasks.DeletedTask => ({
  version: JSON.parse(before) as TaskVersion,
  rest: JSON.parse(rest!) as TaskRest,
})

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
    if (kind === 'task') await tasks.insertDeleted(call, [deletedTask(record)], skipped)
    else if (kind === 'comment') await insertComments(call, [record.before])
    else if (kind === 'knowledge') await restoreItem(call, project, record.before, undoesOf(progress))
  }
  return { ...progress, skipped, after: [last.sequence, last.place] }
}

/** A stage that goes over the tasks of the project. */
const overTasks =
  (
    count: number,
    act: (call: Call, found: Awaited<ReturnType<typeof tasks.tasksAfter>>, progress: Progress) => Promise<void>,
  ): Step =>
  async (call, _entry, progress) => {
    const found = await tasks.tasksAfter(call, progress.project.key, progress.afterTask, count)
    const last = found.at(-1)
    if (!last) return next(progress)
    await act(call, found, progress)
    return { ...progress, afterTask: last.doc.id }
  }

const isInside =
  ({ project }: Progress) =>
  (id: string): boolean =>
    id.startsWith(`${project.key}-`)

const steps: Record<Exclude<Stage, 'end'>, Step> = {
  clear,
  insert,
  link: overTasks(recordsPerStep, (call, found, progress) => tasks.linkInside(call, found, isInside(progress))),
  join: overTasks(joinsPerStep, (call, found, progress) =>
    tasks.linkOutside(call, found, isInside(progress), progress.skipped),
  ),
  count: overTasks(recordsPerStep, (call, found) =>
    tasks.countAgain(
      call,
      found.map(({ doc }) => doc.id),
    ),
  ),
  settle: overTasks(recordsPerStep, (call, found, progress) =>
    tasks.settle(call, found, progress.project.maxAttempts, () => undoesOf(progress)),
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
      await tasks.relinkDependents(call, version.id, rest.dependents, skipped)
    }
    return { ...progress, skipped, after: [last.sequence, last.place] }
  },
}

/** Begins to restore a project, whose key must be free. */
export const beginProject = async (
  call: Call,
  entry: StoredEntry,
  deleted: DeletedRecord,
  isUndo: boolean,
): Promise<void> => {
  const { plan } = call
  const { secretHash, ...actor } = call.actor
  if (plan?.storedBytes) await refuseOverStoredBytes(call.db, actor.tenantId, plan.storedBytes, 0)
  const progress: Progress = {
    stage: 'clear',
    after: [0, 0],
    afterTask: '',
    project: JSON.parse(deleted.before) as Project,
    rest: JSON.parse(deleted.rest!) as ProjectRest,
    by: { actor, origin: call.origin },
    // An undo leaves all steps to the service.
    steppedAtMs: isUndo ? 0 : call.clock(),
    undoes: isUndo ? deleted.event_id : null,
    skipped: [],
  }
  await store.setProgress(call.db, call.actor.tenantId, entry.id, 'restoring', await clear(call, entry, progress))
}

const stepOf = async (call: Call, entry: StoredEntry, progress: Progress): Promise<boolean> => {
  if (progress.stage === 'end') return true
  const { db, actor, clock } = call
  // What was asked for is done to the end: a quota was looked at when it began.
  const made = await steps[progress.stage]({ ...call, ...progress.by, plan: undefined }, entry, progress)
  const skipped = made.skipped.slice(0, maxSkipped)
  const steppedAtMs = progress.steppedAtMs && clock()
  await store.setProgress(db, actor.tenantId, entry.id, 'restoring', { ...made, skipped, steppedAtMs })
  return made.stage === 'end'
}

const restoringEntry = async (call: Call, id: string): Promise<StoredEntry | undefined> => {
  const entry = await store.findEntry(call.db, call.actor.tenantId, id)
  return entry?.state === 'restoring' ? entry : undefined
}

/** Goes on with a project that is being restored; answers whether it is whole. */
export const restoreProjectStep = (call: Call, entryId: string): Promise<boolean> =>
  changing(call, async (call) => {
    const entry = await restoringEntry(call, entryId)
    return !entry || stepOf(call, entry, progressOf(entry))
  })

/** Takes a project that is whole out of the trash; answers what could not be restored of it. */
export const endRestore = async (call: Call, entry: StoredEntry): Promise<SkippedLink[]> => {
  const { stage, skipped } = progressOf(entry)
  if (stage === 'end') await store.deleteEntry(call.db, call.actor.tenantId, entry.id)
  return skipped
}

const abandonedAfterMs = 5_000

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
  })
