import { noteDue } from '../../../background/note.js'
import { isoTime } from '../../../base/clock.js'
import type { SkippedLink } from '../../../changelog/versions/schema.js'
import { readyTopic } from '../../../db/topics.js'
import type { Call } from '../../../operations/call.js'
import { deletedProjectIds } from '../../../tenancy/projects/service.js'
import { noteEndedClaim } from '../claims/ended-store.js'
import { endClaimsOfRestored } from '../claims/expire.js'
import { taskIdsClaimedIn } from '../queue/claim-store.js'
import * as store from '../store.js'
import type { StoredTask } from '../stored-task.js'
import { blockerLink, deleteLinks, insertLinks } from '../structure/link-store.js'
import { countOpenBlockers, findNodes } from '../structure/node-store.js'
import * as severed from '../structure/severed-store.js'
import { removeBlockers } from '../write/remove.js'
import { writeTasks, writeUnrecorded } from '../write/write.js'
import { relinkDependents } from './links.js'
import { possibleBlockers } from './possible.js'

/** How many tasks of a deleted project one transaction scans for links. */
const tasksPerStep = 200
/** How many links one transaction severs. */
const severedPerStep = 50

/** Records that the claims on tasks of a deleted project have ended. */
export const noteClaimsEnded = async (call: Call, projectId: string): Promise<void> => {
  const { db, actor, clock } = call
  const ids = await taskIdsClaimedIn(db, actor.tenantId, projectId)
  const nowMs = clock()
  const tasks = await store.findTasks(db, actor.tenantId, ids)
  await db.runAll(tasks.flatMap((task) => noteEndedClaim(actor, nowMs, task, null, 'task.deleted')))
}

/**
 * Severs links between tasks of a deleted project and other projects, so that nothing there waits for a deleted task.
 * `after` is the task to continue after. Returns the next one, or undefined after the last.
 */
export const severLinks = async (
  call: Call,
  projectId: string,
  after: string | null,
): Promise<{ after: string | null } | undefined> => {
  const { db, actor } = call
  const { tenantId } = actor
  const ids = await store.findProjectTaskIdsAfter(db, tenantId, projectId, after, tasksPerStep)
  const links = await severed.findCrossing(db, tenantId, projectId, ids, severedPerStep)
  if (links.length > 0) {
    await db.runAll([
      severed.insertSevered(db, tenantId, projectId, links),
      ...deleteLinks(
        tenantId,
        links.map(({ taskId, blockerId }) => blockerLink(taskId, blockerId)),
      ),
    ])
    const own = new Set(ids)
    const blockers = new Set(links.map(({ blockerId }) => blockerId).filter((id) => own.has(id)))
    const dependents = new Set(links.map(({ taskId }) => taskId).filter((id) => !own.has(id)))
    // Another step may find further blockers of the same task.
    await removeBlockers(call, await store.findVisibleTasks(db, tenantId, [...dependents]), blockers)
  }
  if (links.length === severedPerStep) return { after }
  return ids.length < tasksPerStep ? undefined : { after: ids.at(-1)! }
}

const relinkBlockers = async (
  call: Call,
  task: StoredTask,
  blockerIds: readonly string[],
  skipped: SkippedLink[],
): Promise<void> => {
  const { db, actor, clock } = call
  const { doc, counts } = task
  const possible = await possibleBlockers(call, doc, blockerIds, skipped)
  const links = possible.map((id) => blockerLink(doc.id, id))
  await db.runAll(insertLinks(db, actor.tenantId, links))
  const openBlockers = (await countOpenBlockers(db, actor.tenantId, [doc.id])).get(doc.id) ?? 0
  const after = { ...task, counts: { ...counts, openBlockers } }
  const lost = new Set(blockerIds.filter((id) => !possible.includes(id)))
  if (lost.size === 0) return writeUnrecorded(call, task, after)
  const blockedBy = doc.blockedBy.filter((id) => !lost.has(id))
  const changed = { ...after, doc: { ...doc, blockedBy, version: doc.version + 1, updatedAt: isoTime(clock()) } }
  const event = { type: 'task.updated' as const, previous: { blockedBy: doc.blockedBy } }
  await writeTasks({ ...call, plan: undefined }, [{ before: task, after: changed, event }])
}

const groupBy = (
  links: readonly severed.SeveredLink[],
  own: keyof severed.SeveredLink,
  other: keyof severed.SeveredLink,
): Map<string, string[]> => {
  const groups = new Map<string, string[]>()
  for (const link of links) groups.set(link[own], [...(groups.get(link[own]) ?? []), link[other]])
  return groups
}

/**
 * Restores up to `count` severed links of a restored project, and adds those that are not possible to `skipped`. A link
 * to another deleted project waits until that project is restored. Returns whether no links are left.
 */
export const relinkSevered = async (
  call: Call,
  projectId: string,
  count: number,
  skipped: SkippedLink[],
): Promise<boolean> => {
  const { db, actor } = call
  const { tenantId } = actor
  const links = await severed.listSevered(db, tenantId, projectId, count)
  if (links.length === 0) return true
  await db.runAll(severed.deleteSevered(tenantId, projectId, links))
  const ids = new Set(links.flatMap(({ taskId, blockerId }) => [taskId, blockerId]))
  const places = new Map((await findNodes(db, tenantId, [...ids])).map(({ id, queued }) => [id, queued.projectId]))
  const deleted = await deletedProjectIds(call)
  const ofDeleted = (id: string): string | undefined => {
    const place = places.get(id)
    return place !== undefined && deleted.has(place) ? place : undefined
  }
  const restorable: severed.SeveredLink[] = []
  for (const link of links) {
    const waitsFor = ofDeleted(link.taskId) ?? ofDeleted(link.blockerId)
    if (waitsFor === undefined) restorable.push(link)
    else await db.runAll([severed.insertSevered(db, tenantId, waitsFor, [link])])
  }
  const isOwn = (id: string): boolean => places.get(id) === projectId
  const outgoing = groupBy(
    restorable.filter(({ taskId }) => isOwn(taskId)),
    'taskId',
    'blockerId',
  )
  for (const task of await store.findTasks(db, tenantId, [...outgoing.keys()])) {
    await relinkBlockers(call, task, outgoing.get(task.doc.id)!, skipped)
  }
  const incoming = groupBy(
    restorable.filter(({ taskId }) => !isOwn(taskId)),
    'blockerId',
    'taskId',
  )
  for (const [blockerId, dependents] of incoming) await relinkDependents(call, blockerId, dependents, skipped)
  return links.length < count
}

/** Ends the claims that tasks of a restored project still show, and resumes their scheduled wake-ups. */
export const resumeTasks = async (call: Call, projectId: string): Promise<void> => {
  const { db, actor, clock } = call
  const ids = await taskIdsClaimedIn(db, actor.tenantId, projectId)
  if (ids.length > 0) await endClaimsOfRestored(call, await store.findTasks(db, actor.tenantId, ids))
  await db.runAll(noteDue(db, { tenantId: actor.tenantId, kind: 'tasks', dueAtMs: clock() }, clock()))
  db.announce(readyTopic(actor.tenantId))
}

/** Deletes up to `count` severed links of a project that is being purged, and returns whether none is left. */
export const forgetSevered = async (call: Call, projectId: string, count: number): Promise<boolean> => {
  const { db, actor } = call
  const links = await severed.listSevered(db, actor.tenantId, projectId, count)
  await db.runAll(severed.deleteSevered(actor.tenantId, projectId, links))
  return links.length < count
}
