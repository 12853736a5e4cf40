import { setTimeout as sleep } from 'node:timers/promises'
import { requireProject } from '../actor.js'
import { audit } from '../audit/service.js'
import { type Call, changing } from '../call.js'
import { restoreComment } from '../comments/restore.js'
import { AppError, notFound } from '../errors.js'
import { type DeletedRecord, deletionsAfter, lastDeletionOf } from '../history/deletions.js'
import { refOf } from '../history/entries.js'
import { livingVersion } from '../history/living.js'
import type { SkippedLink } from '../history/schema.js'
import { commentOf } from '../history/version.js'
import { isVisible, requireRestore } from '../history/visible.js'
import { restoreItem } from '../knowledge/restore.js'
import { requireWritablePlace } from '../knowledge/service.js'
import type { Project } from '../projects/schema.js'
import { currentProject } from '../projects/service.js'
import { restoreTasks } from '../tasks/restore.js'
import type { TaskVersion } from '../tasks/schema.js'
import { isTaskThere } from '../tasks/service.js'
import type { TaskRest } from '../tasks/write.js'
import { beginProject, endRestore, pauseMs, restoreProjectStep } from './restore-project.js'
import type { RestoredEntry } from './schema.js'
import type { StoredEntry } from './store.js'
import * as store from './store.js'

/** More than the tasks of a subtree, so that all of them are found. */
const maxTogether = 2_000

/** An entry that the caller may see. */
export const visibleEntry = async (call: Call, id: string): Promise<StoredEntry> => {
  const entry = await store.findEntry(call.db, call.actor.tenantId, id)
  if (!entry || entry.state === 'purging') throw notFound(`trash entry "${id}"`)
  if (entry.projectId !== '') requireProject(call.actor, entry.projectId)
  if (!isVisible(call.actor, entry.kind, entry.projectId)) throw notFound(`trash entry "${id}"`)
  return entry
}

/** The entry that a deleted record is in, by the last change of the record. */
export const entryHolding = async (call: Call, record: string): Promise<StoredEntry | undefined> => {
  const deletion = await lastDeletionOf(call, record)
  const entry = deletion && (await store.findEntryHolding(call.db, call.actor.tenantId, deletion.sequence))
  return entry?.state === 'purging' ? undefined : entry
}

const parentGone = (what: string, parent: string): AppError =>
  new AppError('CONFLICT', `${what} belongs to ${parent}, which was deleted. Restore that first.`)

const projectOf = async (call: Call, { projectId }: StoredEntry, what: string): Promise<Project> => {
  const project = await currentProject(call, projectId)
  if (!project) throw parentGone(what, `project "${projectId}"`)
  return project
}

/** All that was deleted with an entry, but the contents of a project: the record at the top comes last. */
const recordsOf = async (call: Call, { firstSequence, lastSequence }: StoredEntry): Promise<DeletedRecord[]> => {
  const records: DeletedRecord[] = []
  for (let after: readonly [number, number] = [firstSequence - 1, Number.MAX_SAFE_INTEGER]; ; ) {
    const found = await deletionsAfter(call, after, lastSequence, maxTogether)
    records.push(...found.filter(({ place }) => place === 0))
    const last = found.at(-1)
    if (!last || last.sequence === lastSequence) return records
    after = [last.sequence, Number.MAX_SAFE_INTEGER]
  }
}

type Restore = (call: Call, entry: StoredEntry, records: DeletedRecord[], isUndo: boolean) => Promise<SkippedLink[]>

const restoreTask: Restore = async (call, entry, records, isUndo) => {
  const project = await projectOf(call, entry, entry.record)
  if (await isTaskThere(call, entry.record)) {
    throw new AppError('CONFLICT', `${entry.record} already exists.`, { existing: entry.record })
  }
  const deleted = records.toReversed().map(({ before, rest }) => ({
    version: JSON.parse(before) as TaskVersion,
    rest: JSON.parse(rest!) as TaskRest,
  }))
  const events = new Map(records.map(({ record, event_id }) => [record, event_id]))
  return restoreTasks(call, deleted, project.maxAttempts, (id) => (isUndo ? events.get(id) : undefined))
}

const undone = (record: DeletedRecord, isUndo: boolean): string | undefined => (isUndo ? record.event_id : undefined)

const restorers: Record<StoredEntry['kind'], Restore> = {
  task: restoreTask,
  comment: async (call, entry, [deleted], isUndo) => {
    const { taskId, id } = commentOf(entry.record)
    if (!(await isTaskThere(call, taskId))) throw parentGone(`Comment "${id}"`, taskId)
    await restoreComment(call, deleted!.before, entry.projectId, undone(deleted!, isUndo))
    return []
  },
  knowledge: async (call, entry, [deleted], isUndo) => {
    const place =
      entry.projectId === '' ? { id: '', key: '' } : await projectOf(call, entry, `Knowledge item "${entry.title}"`)
    requireWritablePlace(call.actor, place)
    await restoreItem(call, place, deleted!.before, undone(deleted!, isUndo))
    return []
  },
  project: async (call, entry, [deleted], isUndo) => {
    await beginProject(call, entry, deleted!, isUndo)
    return []
  },
}

/** Brings back what an entry holds; of a project the beginning, which goes on in steps. */
export const restoreEntry = async (call: Call, entry: StoredEntry, isUndo = false): Promise<SkippedLink[]> => {
  if (entry.state === 'restoring') return []
  const records = await recordsOf(call, entry)
  if (records.length === 0) throw notFound(`trash entry "${entry.id}"`)
  const skipped = await restorers[entry.kind](call, entry, records, isUndo)
  if (entry.kind !== 'project') await store.deleteEntry(call.db, call.actor.tenantId, entry.id)
  return skipped
}

const restoredOf = async (call: Call, entry: StoredEntry, skipped: SkippedLink[]): Promise<RestoredEntry> => {
  const living = await livingVersion(call, entry.kind, entry.record)
  return {
    id: entry.id,
    kind: entry.kind,
    ...refOf(entry.kind, entry.record, entry.projectId),
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

/** Restores a project in transactions of its own, before that of the answer is opened. */
export const prepareRestore = async (call: Call, id: string): Promise<void> => {
  const entry = await store.findEntry(call.db, call.actor.tenantId, id)
  if (entry?.kind !== 'project' || entry.state === 'purging') return
  if (entry.state === 'kept') await begin(call, id)
  while (!(await restoreProjectStep(call, id))) await sleep(pauseMs)
}

/** Brings a deleted record back, with what was deleted with it. */
export const restoreFromTrash = async (call: Call, id: string): Promise<RestoredEntry> => {
  const { entry, skipped } = await begin(call, id)
  return restoredOf(call, entry, skipped)
}
