import type { Json } from '../../../base/json.js'
import { findVersion, versionNotFound } from '../../../changelog/versions/find.js'
import type { SkippedLink } from '../../../changelog/versions/schema.js'
import { recordName } from '../../../changelog/versions/version.js'
import { isHidden, mayUseProject } from '../../../operations/actor.js'
import { type Call, changing } from '../../../operations/call.js'
import { statusesOf } from '../../../tenancy/projects/service.js'
import { firstOf, statusIn } from '../../../tenancy/projects/statuses.js'
import { bringsDecisionsBack, requireRightToReplace } from '../checks/rights.js'
import { restoredChecks, withoutRegainedPasses } from '../checks/rules.js'
import type { Check } from '../checks/schema.js'
import { isLive } from '../claims/rules.js'
import { taskRecord } from '../fields.js'
import { findTaskById } from '../queue/queue.js'
import { findReferenced } from '../reference-store.js'
import { reservedOf } from '../resources/service.js'
import type { TaskVersion } from '../schema.js'
import { answerOf, currentTaskVersion, getTask, replaceFields, type TaskAnswer, touchTask } from '../service.js'
import type { StoredTask } from '../stored-task.js'
import { deleteLinks } from '../structure/link-store.js'
import { claimHolding, parseVersion } from './kept-version.js'
import { freeExternalId, livingAssignee, possibleBlockers, possibleParent } from './possible.js'

interface Replaced {
  version: TaskVersion
  /** The number of the claim that held it. */
  heldBy: number | undefined
}

/** A replaced version, unless the task was in a project then that is private and not the caller's. */
const replacedVersion = async (call: Call, id: string, number: number): Promise<Replaced> => {
  const found = await findVersion(call, recordName.task(id), number)
  const version = found && parseVersion(found.text)
  if (!version || isHidden(call.actor, version.projectId)) throw versionNotFound(id, number)
  return { version, heldBy: claimHolding(found.rest) }
}

/** A version that was in progress under a claim that is over: the task is to be handed out again. */
const handedOut = async (call: Call, version: TaskVersion): Promise<TaskVersion> =>
  version.statusCategory === 'in_progress'
    ? { ...version, ...firstOf(await statusesOf(call, version.projectId), 'todo') }
    : version

/** A version of a task that was held by a claim, as the task can be again: a claim that is over does not come back. */
export const withoutEndedClaim = async (call: Call, version: TaskVersion, heldBy: number): Promise<TaskVersion> => {
  const living = await findTaskById(call, version.id)
  const isHeld = living && isLive(living.claims.current, call.clock()) && living.claims.number === heldBy
  return isHeld ? version : handedOut(call, version)
}

/** A version of a task that is there. */
export const getTaskVersion = async (call: Call, id: string, version: number): Promise<Json<TaskVersion>> => {
  const current = await getTask(call, id)
  if (current.version !== version) return JSON.stringify((await replacedVersion(call, id, version)).version)
  const found = await currentTaskVersion(call, id)
  if (found === undefined) throw versionNotFound(id, version)
  return found
}

/** The resources of another version, those apart that other claims reserve while the task is claimed. */
const freeResources = async (
  call: Call,
  task: StoredTask,
  { id, statusCategory, resources }: TaskVersion,
  skipped: SkippedLink[],
): Promise<string[]> => {
  if (!task.claims.current || statusCategory !== 'in_progress') return resources
  const reserved = await reservedOf(call, task, resources)
  for (const value of reserved) skipped.push({ task: id, field: 'resources', value, reason: 'in use' })
  return resources.filter((resource) => !reserved.has(resource))
}

const wantedChecks = (call: Call, present: readonly Check[], wanted: Check[]): Check[] => {
  if (bringsDecisionsBack(call)) return wanted
  return call.undoes === undefined ? restoredChecks(present, wanted) : withoutRegainedPasses(present, wanted)
}

/** The links of another version that a task can still have, and what else of it can be so. */
const possibleFields = async (call: Call, task: StoredTask, wanted: TaskVersion, skipped: SkippedLink[]) => {
  const { db, actor } = call
  const { id, assignee } = wanted
  const fields = taskRecord.restored(wanted)
  const { doc } = task
  const checks = wantedChecks(call, doc.checks, fields.checks)
  await requireRightToReplace(call, task, checks)
  const removed = doc.blockedBy.filter((other) => !fields.blockedBy.includes(other))
  const isMoved = doc.parentId !== fields.parentId
  // Those that go are out of the way of those that come.
  await db.runAll(
    deleteLinks(actor.tenantId, [
      ...removed.map((otherId) => ({ taskId: id, kind: 'blocker' as const, otherId })),
      ...(isMoved && doc.parentId !== null
        ? [
            { taskId: id, kind: 'parent' as const, otherId: doc.parentId },
            { taskId: doc.parentId, kind: 'child' as const, otherId: id },
          ]
        : []),
    ]),
  )
  const here = { ...wanted, projectId: doc.projectId }
  const parentId = isMoved ? await possibleParent(call, here, skipped) : doc.parentId
  const added = fields.blockedBy.filter((other) => !doc.blockedBy.includes(other))
  const places = await findReferenced(db, actor.tenantId, added)
  const isUsable = (other: string): boolean => {
    const found = places.find((place) => place.id === other)
    return !found || mayUseProject(actor, found.projectId)
  }
  for (const value of added.filter((other) => !isUsable(other))) {
    skipped.push({ task: id, field: 'blockedBy', value, reason: 'not found' })
  }
  const possible = await possibleBlockers(call, wanted, added.filter(isUsable), skipped, isMoved ? parentId : null)
  const blockedBy = fields.blockedBy.filter((other) => doc.blockedBy.includes(other) || possible.includes(other))
  const isAssigneeSame = task.assigneeId === (assignee?.id ?? null)
  return {
    ...fields,
    ...statusIn(task.statuses, wanted),
    checks,
    parentId,
    blockedBy,
    externalId: await freeExternalId(call, here, skipped),
    resources: await freeResources(call, task, wanted, skipped),
    assignee: isAssigneeSame ? task.assignee : await livingAssignee(call, id, assignee, skipped),
  }
}

/** Gives a task the fields of another version, as far as what they refer to is still there. It stays in its project. */
export const revertTask = async (
  call: Call,
  task: StoredTask,
  wanted: TaskVersion,
  skipped: SkippedLink[],
): Promise<StoredTask> => replaceFields(call, task, await possibleFields(call, task, wanted, skipped))

/** Makes an old version of a task its newest. */
export const restoreTaskVersion = (
  call: Call,
  id: string,
  version: number,
): Promise<{ answer: TaskAnswer; skipped: SkippedLink[] }> =>
  changing(call, async (call) => {
    const task = await touchTask(call, id)
    const skipped: SkippedLink[] = []
    if (task.doc.version === version) return { answer: answerOf(task), skipped }
    const replaced = await replacedVersion(call, id, version)
    const isOrphan = replaced.heldBy !== undefined && !task.claims.current
    const wanted = isOrphan ? await handedOut(call, replaced.version) : replaced.version
    const after = await revertTask(call, task, wanted, skipped)
    return { answer: answerOf(after), skipped }
  })
