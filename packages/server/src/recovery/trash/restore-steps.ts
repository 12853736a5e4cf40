import { AppError, isRefusal } from '../../base/errors.js'
import { endDeletion } from '../../changelog/deletions/service.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import { refuseOverStoredBytes } from '../../limits/quotas/stored-bytes.js'
import type { Actor } from '../../operations/actor.js'
import { type Call, changing, type Origin } from '../../operations/call.js'
import { currentProject, showProject } from '../../tenancy/projects/service.js'
import { queueChecksOfProject } from '../../work/knowledge/relied/stale-checks.js'
import { relinkSevered, resumeTasks } from '../../work/tasks/restore/severed.js'
import type { DeletedRecord } from '../history/removal/deletions.js'
import { restoreTreeStep, startOfTree, type TreeProgress } from './restore-tree.js'
import type { StoredEntry } from './store.js'
import * as store from './store.js'

/** Progress of restoring a large task tree, or the links of a project to other projects. */
interface Progress {
  isDone: boolean
  /** Null for a project. */
  tree: TreeProgress | null
  /** Who started the restore, for the steps that the service runs. */
  by: { actor: Actor; origin: Origin }
  /** Time of the caller's last step; 0 if no caller runs steps. The service takes over some time later. */
  steppedAtMs: number
  skipped: SkippedLink[]
}

/** Links to other projects restored per transaction. */
const linksPerStep = 20
/** The pause after each step, in which other requests are served. */
export const pauseMs = 5
const maxSkipped = 1_000

const progressOf = (entry: StoredEntry): Progress => JSON.parse(entry.progress!) as Progress

const startOf = ({ actor: { secretHash, ...actor }, origin, clock }: Call): Progress => ({
  isDone: false,
  tree: null,
  by: { actor, origin },
  steppedAtMs: clock(),
  skipped: [],
})

const begin = async (call: Call, entry: StoredEntry, progress: Progress): Promise<void> => {
  await store.setProgress(call.db, call.actor.tenantId, entry.id, 'restoring', progress)
  await store.noteUnderWay(call.db, call.actor.tenantId, 'restores', call.clock())
}

/** Starts to restore a large task tree. */
export const beginTree = async (call: Call, entry: StoredEntry, records: readonly DeletedRecord[]): Promise<void> => {
  const { plan, db, actor } = call
  if (plan?.storedBytes) await refuseOverStoredBytes(db, actor.tenantId, plan.storedBytes, 0)
  await begin(call, entry, { ...startOf(call), tree: startOfTree(records) })
}

const relink = async (call: Call, entry: StoredEntry, progress: Progress): Promise<Progress> => {
  const skipped = [...progress.skipped]
  const isDone = await relinkSevered(call, entry.record, linksPerStep, skipped)
  return { ...progress, isDone, skipped }
}

/**
 * Restores a project with all its contents. If it has many links to other projects, later steps restore the rest.
 * `undoes` is the ID of the event that is undone.
 */
export const restoreProject = async (call: Call, entry: StoredEntry, undoes?: string): Promise<SkippedLink[]> => {
  // Quotas do not apply, because nothing is added.
  const inside = { ...call, plan: undefined, work: undefined }
  await showProject(inside, entry.record, undoes)
  await endDeletion(inside, 'project', entry.record)
  await resumeTasks(inside, entry.record)
  await queueChecksOfProject(inside, entry.record, false)
  const progress = await relink(inside, entry, startOf(call))
  // After an undo no caller runs the remaining steps, so leave them to the service.
  if (undoes === undefined) await begin(call, entry, progress)
  else if (!progress.isDone) await begin(call, entry, { ...progress, steppedAtMs: 0 })
  else await store.deleteEntry(call.db, call.actor.tenantId, entry.id)
  return progress.skipped
}

const growTree = async (call: Call, entry: StoredEntry, progress: Progress): Promise<Progress> => {
  const project = await currentProject(call, entry.projectId)
  if (!project) {
    throw new AppError('parent_deleted', `The project of ${entry.record} was deleted meanwhile. Restore that first.`)
  }
  const skipped = [...progress.skipped]
  const tree = await restoreTreeStep(call, progress.tree!, project.maxAttempts, skipped)
  return tree ? { ...progress, skipped, tree } : { ...progress, skipped, isDone: true }
}

const stepOf = async (call: Call, entry: StoredEntry, progress: Progress): Promise<boolean> => {
  if (progress.isDone) return true
  const { db, actor, clock } = call
  // The quota was checked when the restore began, and the steps are small.
  const inside = { ...call, ...progress.by, plan: undefined, work: undefined }
  const made = await (progress.tree ? growTree : relink)(inside, entry, progress)
  const skipped = made.skipped.slice(0, maxSkipped)
  const steppedAtMs = progress.steppedAtMs && clock()
  await store.setProgress(db, actor.tenantId, entry.id, 'restoring', { ...made, skipped, steppedAtMs })
  return made.isDone
}

const restoringEntry = async (call: Call, id: string): Promise<StoredEntry | undefined> => {
  const entry = await store.findEntry(call.db, call.actor.tenantId, id)
  return entry?.state === 'restoring' ? entry : undefined
}

/** Runs the next step of a restore, and returns whether the restore is complete. */
export const restoreStep = (call: Call, entryId: string): Promise<boolean> =>
  changing(call, async (call) => {
    const entry = await restoringEntry(call, entryId)
    return !entry || stepOf(call, entry, progressOf(entry))
  })

/** Removes an entry whose restore is complete from the trash, and returns the links that could not be restored. */
export const endRestore = async (call: Call, entry: StoredEntry): Promise<SkippedLink[]> => {
  const { isDone, skipped } = progressOf(entry)
  if (isDone) await store.deleteEntry(call.db, call.actor.tenantId, entry.id)
  return skipped
}

const abandonedAfterMs = 5_000

/** Returns when the service takes over a restore whose caller stopped. */
export const abandonedAtMs = (entry: StoredEntry): number => progressOf(entry).steppedAtMs + abandonedAfterMs

/** Runs the next step of a restore whose caller stopped, and returns whether the service has nothing left to do. */
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
    // A caller who repeats the request gets the error.
    if (isRefusal(error)) return true
    throw error
  })
