import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, notFound } from '../../base/errors.js'
import { audit } from '../../changelog/audit/service.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import { partOf } from '../../changelog/versions/version.js'
import { requireProject } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import type { Project } from '../../tenancy/projects/schema.js'
import { currentProject } from '../../tenancy/projects/service.js'
import { requireWritablePlace, tenantWide } from '../../work/knowledge/place.js'
import { restoreItem } from '../../work/knowledge/restore.js'
import type { ItemVersion } from '../../work/knowledge/schema.js'
import { restoreComment } from '../../work/tasks/comments/trash.js'
import { restoreTasks } from '../../work/tasks/restore/restore.js'
import { taskExists } from '../../work/tasks/service.js'
import { currentVersion } from '../history/current-version.js'
import { refOf } from '../history/entries.js'
import { type DeletedRecord, lastDeletionOf } from '../history/removal/deletions.js'
import { isVisible, requireRestore } from '../history/visible.js'
import { beginTree, endRestore, pauseMs, restoreProject, restoreStep } from './restore-steps.js'
import { deletedTask, isLargeTree, recordsOf } from './restore-tree.js'
import type { RestoredEntry } from './schema.js'
import type { StoredEntry } from './store.js'
import * as store from './store.js'

/** An entry that the caller may restore or purge, as far as its project is concerned. */
export const visibleEntry = async (call: Call, id: string): Promise<StoredEntry> => {
  const entry = await store.findEntry(call.db, call.actor.tenantId, id)
  const missing = () => notFound('trash entry', id)
  if (!entry || entry.state === 'purging') throw missing()
  const refusesViewers = entry.kind !== 'comment'
  if (entry.projectId !== '') requireProject({ ...call, refusesViewers }, entry.projectId, missing)
  if (!isVisible(call.actor, entry.kind, entry.projectId)) throw missing()
  return entry
}

/** Returns the trash entry of the last deletion of a record. */
export const entryHolding = async (call: Call, record: string): Promise<StoredEntry | undefined> => {
  const deletion = await lastDeletionOf(call, record)
  const entry = deletion && (await store.findEntryHolding(call.db, call.actor.tenantId, deletion.sequence))
  return entry?.state === 'purging' ? undefined : entry
}

const parentGone = (what: string, parent: string): AppError =>
  new AppError('parent_deleted', `${what} belongs to ${parent}, which was deleted. Restore that first.`)

const projectOf = async (call: Call, { projectId }: StoredEntry, what: string): Promise<Project> => {
  const project = await currentProject(call, projectId)
  if (!project) throw parentGone(what, `project "${projectId}"`)
  return project
}

/** Whether an entry comes back in steps, each a transaction of its own. */
const isInSteps = (entry: StoredEntry, isUndo: boolean): boolean =>
  entry.kind === 'project' || (!isUndo && isLargeTree(entry))

/** `undoneTo` is the state that an undo restores, as JSON; undefined if this is not an undo. */
type Restore = (
  call: Call,
  entry: StoredEntry,
  records: DeletedRecord[],
  undoneTo: string | undefined,
) => Promise<SkippedLink[]>

const restoreTask: Restore = async (call, entry, records, undoneTo) => {
  const isUndo = undoneTo !== undefined
  const project = await projectOf(call, entry, entry.record)
  if (await taskExists(call, entry.record)) {
    throw new AppError('exists', `${entry.record} already exists.`, { existing: entry.record })
  }
  if (isInSteps(entry, isUndo)) {
    await beginTree(call, entry, records)
    return []
  }
  const deleted = records.toReversed().map(deletedTask)
  const events = new Map(records.map(({ record, event_id }) => [record, event_id]))
  return restoreTasks(call, deleted, project.maxAttempts, (id) => (isUndo ? events.get(id) : undefined))
}

const undone = (record: DeletedRecord, undoneTo: string | undefined): string | undefined =>
  undoneTo === undefined ? undefined : record.event_id

/** Returns the deleted item to restore. An undo restores it at the key and project of the earlier state `undoneTo`. */
const itemToRestore = (deleted: string, undoneTo: string | undefined): ItemVersion => {
  const item = JSON.parse(deleted) as ItemVersion
  const { key, projectId } = undoneTo === undefined ? item : (JSON.parse(undoneTo) as ItemVersion)
  return { ...item, key, projectId }
}

const restorers: Record<StoredEntry['kind'], Restore> = {
  task: restoreTask,
  comment: async (call, entry, [deleted], undoneTo) => {
    const { taskId, id } = partOf(entry.record)
    if (!(await taskExists(call, taskId))) throw parentGone(`Comment "${id}"`, taskId)
    await restoreComment(call, deleted!.before, undone(deleted!, undoneTo))
    return []
  },
  knowledge: async (call, entry, [deleted], undoneTo) => {
    const item = itemToRestore(deleted!.before, undoneTo)
    const place =
      item.projectId === null
        ? tenantWide
        : await projectOf(call, { ...entry, projectId: item.projectId }, `Knowledge item "${item.key}"`)
    requireWritablePlace(call, place)
    return restoreItem(call, place, item, deleted!, undone(deleted!, undoneTo))
  },
  project: (call, entry, [deleted], undoneTo) => restoreProject(call, entry, undone(deleted!, undoneTo)),
}

/** Restores the records of an entry. A large task tree and a project's many links are restored in later steps. */
export const restoreEntry = async (call: Call, entry: StoredEntry, undoneTo?: string): Promise<SkippedLink[]> => {
  if (entry.state === 'restoring') return []
  const records = await recordsOf(call, entry)
  if (records.length === 0) throw notFound('trash entry', entry.id)
  const skipped = await restorers[entry.kind](call, entry, records, undoneTo)
  if (!isInSteps(entry, undoneTo !== undefined)) await store.deleteEntry(call.db, call.actor.tenantId, entry.id)
  return skipped
}

const restoredOf = async (call: Call, entry: StoredEntry, skipped: SkippedLink[]): Promise<RestoredEntry> => {
  const living = await currentVersion(call, entry.kind, entry.record)
  return {
    id: entry.id,
    kind: entry.kind,
    ...refOf(entry.kind, entry.record, entry.projectId, entry.title),
    version: living === undefined ? null : (JSON.parse(living) as { version: number }).version,
    status: living === undefined ? 'restoring' : 'restored',
    skipped,
  }
}

const begin = (call: Call, id: string): Promise<{ entry: StoredEntry; skipped: SkippedLink[] }> =>
  changing(call, async (call) => {
    const entry = await visibleEntry(call, id)
    requireRestore(call.actor, entry.kind)
    if (entry.state === 'restoring') return { entry, skipped: await endRestore(call, entry) }
    const skipped = await restoreEntry(call, entry)
    await audit(call, 'trash.restored', { subject: entry.id, details: { kind: entry.kind, record: entry.record } })
    return { entry, skipped }
  })

/** Restores what comes back in steps in transactions of its own, before that of the answer is opened. */
export const prepareRestore = async (call: Call, id: string): Promise<void> => {
  const entry = await store.findEntry(call.db, call.actor.tenantId, id)
  if (!entry || entry.state === 'purging' || !isInSteps(entry, false)) return
  if (entry.state === 'kept') await begin(call, id)
  while (!(await restoreStep(call, id))) await sleep(pauseMs)
}

/** Brings a deleted record back, with what was deleted with it. */
export const restoreFromTrash = async (call: Call, id: string): Promise<RestoredEntry> => {
  const { entry, skipped } = await begin(call, id)
  return restoredOf(call, entry, skipped)
}
