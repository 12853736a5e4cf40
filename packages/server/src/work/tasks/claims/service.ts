import { type Awaitable, andThen, both } from '../../../base/awaitable.js'
import { isoTime } from '../../../base/clock.js'
import { parseMoment } from '../../../base/dates.js'
import { AppError, invalid } from '../../../base/errors.js'
import { includesProject } from '../../../base/project-set.js'
import { noteProject } from '../../../limits/usage/usage.js'
import { type Actor, mayUseProject, requireProject, writableProjects } from '../../../operations/actor.js'
import { type Call, changing, type PassedFence } from '../../../operations/call.js'
import { liveActor } from '../../../tenancy/keys/live-key.js'
import { refusePaused } from '../../../tenancy/pauses/service.js'
import { projectIdNamed } from '../../../tenancy/projects/service.js'
import { firstOf, type TaskStatus } from '../../../tenancy/projects/statuses.js'
import { addComment } from '../comments/service.js'
import { projectOfHeldClaim, renewLiveClaim } from '../queue/claim-store.js'
import { noteDueTasks } from '../queue/due.js'
import * as queue from '../queue/queue.js'
import { isClosed } from '../queue/ready.js'
import { readFields } from '../read-fields.js'
import { requireFree } from '../resources/service.js'
import type { Task, TaskPatch } from '../schema.js'
import { answerOf, findTask, type StoredTask, type TaskAnswer, touchTask } from '../service.js'
import { requireStatus, statusBefore } from '../statuses/service.js'
import { writeRenewal } from '../write/derived.js'
import { writeTask } from '../write/write.js'
import { expireClaims, expireLapsed } from './expire.js'
import * as rules from './rules.js'
import {
  type Claim,
  type ClaimRequest,
  defaultLeaseSeconds,
  type Lease,
  type NextRequest,
  type ReleaseRequest,
} from './schema.js'

/** A status that is in progress already stays. */
const begun = ({ doc, statuses }: StoredTask): TaskStatus =>
  doc.statusCategory === 'in_progress' ? doc : firstOf(statuses, 'in_progress')

const grantedTo = async (
  call: Call,
  actor: Actor,
  task: StoredTask,
  { leaseSeconds, worker, note }: Lease,
): Promise<StoredTask> => {
  const { doc, claims } = task
  noteProject(call.origin.usage, doc.projectId)
  const { status, statusCategory } = begun(task)
  const nowMs = call.clock()
  const after: StoredTask = {
    // Who begins again knows what holds now.
    ...task,
    stale: null,
    claims: rules.grant(doc.id, claims, actor, nowMs, {
      leaseMs: (leaseSeconds ?? defaultLeaseSeconds) * 1_000,
      worker: worker ?? null,
      note: note ?? null,
    }),
    doc: {
      ...doc,
      ...{ status, statusCategory },
      attempts: doc.attempts + 1,
      version: doc.version + 1,
      updatedAt: isoTime(nowMs),
    },
  }
  const previous: Partial<Task> = {
    ...statusBefore(doc, after.doc),
    attempts: doc.attempts,
    claim: claims.current,
  }
  const { token } = after.claims.current!
  return writeTask({ ...call, claim: token }, task, after, { type: 'task.claimed', previous })
}

/** Claims a task by its id: whoever asks for it by name knows why, so only what makes work on it impossible counts. */
export const claimTask = (call: Call, id: string, request: ClaimRequest): Promise<TaskAnswer> =>
  changing(call, async (call) => {
    // A claim outlasts the request: one that is given after its key was revoked would be held by nobody.
    const [actor, [task, project]] = await both(
      liveActor(call),
      both(touchTask(call, id), queue.findPausedProjectOf(call, id)),
    )
    refusePaused(actor, project)
    const { current } = task.claims
    if (current && !(request.takeover && rules.mayTakeOver(current, actor))) {
      throw rules.claimedByAnother(current, call.clock(), rules.remedyFor(current, actor))
    }
    if (isClosed(task.doc.statusCategory)) {
      throw new AppError(
        'closed',
        `${id} is ${task.doc.status}: nothing is left to do. Claim another task. Only if it must be done again, set its status to todo first.`,
      )
    }
    const blockedBy = await queue.openBlockersOf(call, task)
    if (blockedBy.length > 0) {
      throw new AppError('blocked', `${id} is blocked by ${blockedBy.join(', ')}. Finish those first.`, {
        blockedBy,
      })
    }
    await requireFree(call, task)
    return answerOf(await grantedTo(call, actor, task, request))
  })

const distinct = <T>(values: T | readonly T[]): T[] => [...new Set([values].flat() as T[])]

/** Resolves the filter of a `next` request. */
export const resolveNext = async (call: Call, request: NextRequest): Promise<queue.NextFilter> => {
  const { projectId, label, priority, parentId } = request
  const projectIds: string[] = []
  for (const ref of projectId === undefined ? [] : distinct(projectId)) projectIds.push(await projectIdNamed(call, ref))
  if (parentId !== undefined) await findTask(call, parentId).catch(asInvalidParent(parentId))
  return {
    projectIds: projectId === undefined ? null : projectIds,
    labels: label === undefined ? null : distinct(label),
    priorities: priority === undefined ? null : distinct(priority),
    parentId: parentId ?? null,
  }
}

const asInvalidParent =
  (id: string) =>
  (error: unknown): never => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') {
      throw invalid({ path: 'parentId', message: `task "${id}" not found`, record: 'task' })
    }
    throw error
  }

const nextTask = async (
  call: Call,
  filter: queue.NextFilter,
  foundBefore?: readonly string[],
): Promise<StoredTask | undefined> => {
  await settleDue(call)
  return queue.findNext(call, filter, foundBefore)
}

/**
 * Searches the queue before `claimNext`, outside the write lock, if the search takes more than one statement. Leaves
 * errors of the request to `claimNext`, because a repeated request may have a stored response.
 */
export const findBefore = async (call: Call, request: NextRequest): Promise<readonly string[]> => {
  try {
    return await queue.findBefore(call, await resolveNext(call, request))
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

/** Whether `next` may find a task, as far as reading alone can tell. */
export const canClaimNext = async (call: Call, request: NextRequest): Promise<boolean> => {
  refusePaused(call.actor)
  const filter = await resolveNext(call, request)
  if (await queue.canFindNext(call, filter)) return true
  await refusePausedProjects(call, filter)
  return false
}

/** Tells a caller for whom no task was found that all projects asked for are paused. */
export const refusePausedProjects = async (call: Call, filter: queue.NextFilter): Promise<void> =>
  refusePaused(call.actor, await queue.findPausedProject(call, filter))

/**
 * Claims the best ready task in one transaction. Returns undefined if none is ready, after searching the whole queue in
 * that transaction. `foundBefore` is the result of `findBefore`.
 */
export const claimNext = (
  call: Call,
  filter: queue.NextFilter,
  lease: Lease,
  foundBefore?: readonly string[],
): Promise<TaskAnswer | undefined> =>
  changing(call, async (call) => {
    const [actor, task] = await both(liveActor(call), nextTask(call, filter, foundBefore))
    refusePaused(actor)
    return task && answerOf(await grantedTo(call, actor, task, lease))
  })

/** The task that `next` would claim. */
export const peekNext = (
  call: Call,
  filter: queue.NextFilter,
  foundBefore?: readonly string[],
): Promise<TaskAnswer | undefined> =>
  changing(call, async (call) => {
    const task = await nextTask(call, filter, foundBefore)
    return task && answerOf(task)
  })

const duePerStep = 100

/** Lets claims that have run out be over, and queues tasks whose time has come. Answers whether more are due. */
export const settleStep = async (call: Call): Promise<boolean> => {
  const { lapsed, waking } = await queue.dueTasks(call, duePerStep)
  await expireLapsed(call, lapsed)
  // Whose claim is over is queued with that, if its time has come too.
  const isLapsed = new Set(lapsed.map(({ doc }) => doc.id))
  await queue.wake(
    call,
    waking.filter((id) => !isLapsed.has(id)),
  )
  return lapsed.length === duePerStep || waking.length === duePerStep
}

const settleDue = async (call: Call): Promise<void> => {
  while (await settleStep(call));
}

/**
 * Returns the check that runs in the transaction of a write under a claim. The claim must be live and belong to the
 * caller, and the caller must still be able to write in the project. The write renews the claim. With `renewsExpired`,
 * the check renews an expired claim if the task has not been claimed since, for callers that cannot renew it first.
 */
export const fenceOf =
  (token: string, renewsExpired: boolean) =>
  async (call: Call): Promise<PassedFence> => {
    const taskId = rules.taskOfToken(token)
    const task = taskId === undefined ? undefined : await queue.findTaskById(call, taskId)
    if (!task || !mayUseProject(call.actor, task.doc.projectId)) throw rules.claimLost(token)
    const nowMs = call.clock()
    if (renewsExpired && !rules.isLive(task.claims.current, nowMs)) {
      await renewClaim({ ...call, refusesViewers: true }, task.doc.id, token, undefined)
      return { token }
    }
    const claim = rules.requireLive(task.claims, token, call.actor, nowMs)
    requireProject({ ...call, refusesViewers: true }, task.doc.projectId, () => rules.claimLost(token))
    const after = { ...task, claims: rules.renewed(task.claims, claim, call.actor, nowMs) }
    const write = (call: Call) =>
      call.db.runAll([renewLiveClaim(call.actor.tenantId, task.doc.id, after.claims), ...noteDueTasks(call, [after])])
    return { token, renewal: { taskId: task.doc.id, atMs: nowMs, write } }
  }

/** Whether the caller holds a claim that is live, and may still write in its project. */
export const holdsClaim = ({ db, actor, clock }: Call, taskId: string, number: number): Awaitable<boolean> =>
  andThen(
    projectOfHeldClaim(db, actor.tenantId, { taskId, number, keyId: actor.keyId }, clock()),
    (projectId) => projectId !== undefined && includesProject(writableProjects(actor), projectId),
  )

/**
 * A task whose claim the caller holds, or let run out without anyone having taken the task since. That it ran out is
 * written down first, as by anyone else who touches the task.
 */
const heldTask = async (call: Call, id: string, token: string): Promise<[StoredTask, claim: Claim]> => {
  const taskId = rules.taskOfToken(token)
  if (taskId === undefined) throw rules.claimLost(token)
  if (taskId !== id) throw rules.claimOfAnotherTask(token, id)
  const task = await touchTask(call, id).catch((error) => {
    throw error instanceof AppError && error.code === 'NOT_FOUND' ? rules.claimLost(token) : error
  })
  return [task, rules.requireHeld(task.claims, token, call.actor, task.doc)]
}

export const renewClaim = (
  call: Call,
  id: string,
  token: string,
  leaseSeconds: number | undefined,
): Promise<TaskAnswer> =>
  changing(call, async (call) => {
    const [task, claim] = await heldTask(call, id, token)
    const nowMs = call.clock()
    const leaseMs = leaseSeconds === undefined ? task.claims.leaseMs : leaseSeconds * 1_000
    const isLate = !task.claims.current
    const claims = rules.renewed(task.claims, claim, isLate ? await liveActor(call) : call.actor, nowMs, leaseMs)
    if (!isLate) return answerOf(await writeRenewal(call, { ...task, claims }))
    await requireFree(call, task)
    const { doc } = task
    const { status, statusCategory } = begun(task)
    const after: StoredTask = {
      ...task,
      claims,
      doc: { ...doc, status, statusCategory, version: doc.version + 1, updatedAt: isoTime(nowMs) },
    }
    const previous = { ...statusBefore(doc, after.doc), claim: null }
    return answerOf(await writeTask({ ...call, claim: token }, task, after, { type: 'task.updated', previous }))
  })

const notBeforeOf = (text: string | null | undefined, fallback: string | null): string | null => {
  if (text === undefined) return fallback
  if (text === null) return null
  const moment = parseMoment(text)
  if (!moment) throw invalid({ path: 'notBefore', message: 'must be a timestamp with a time zone, or a valid date' })
  return isoTime(moment.ms)
}

/** A released task is not in progress. */
const releasedStatus = ({ statuses }: StoredTask, name: string | undefined): TaskStatus => {
  if (name === undefined) return firstOf(statuses, 'todo')
  const found = requireStatus(statuses, name)
  if (found.statusCategory !== 'in_progress') return found
  throw invalid({ path: 'status', message: 'must not be of the category in_progress' })
}

/** Ends a claim and says what became of the task, with a comment if there is something to say. */
export const releaseClaim = (call: Call, id: string, token: string, request: ReleaseRequest): Promise<TaskAnswer> => {
  const { status: wantedStatus, comment, notBefore: wanted } = request
  const [{ result }, problems] = readFields<TaskPatch>(request.result === undefined ? {} : { result: request.result })
  if (problems.length > 0) throw invalid(...problems)
  return changing({ ...call, claim: token }, async (call) => {
    const [task] = await heldTask(call, id, token)
    const { doc, claims } = task
    const { status, statusCategory } = releasedStatus(task, wantedStatus)
    const notBefore = notBeforeOf(wanted, doc.notBefore)
    const after: StoredTask = {
      ...task,
      claims: rules.ended(claims),
      doc: {
        ...doc,
        ...{ status, statusCategory },
        notBefore,
        ...(result !== undefined && { result }),
        version: doc.version + 1,
        updatedAt: isoTime(call.clock()),
      },
    }
    const previous: Partial<Task> = {
      ...statusBefore(doc, after.doc),
      ...(doc.notBefore !== notBefore && { notBefore: doc.notBefore }),
      ...(result !== undefined && doc.result !== result && { result: doc.result }),
      claim: claims.current,
    }
    await writeTask(call, task, after, { type: 'task.released', previous })
    if (comment !== undefined) await addComment(call, id, comment)
    return answerOf(await findTask(call, id))
  })
}

/** Ends the claims of a key that is revoked, as if they had run out. */
export const endClaimsOf = async (call: Call, keyId: string): Promise<void> => {
  await expireClaims(call, await queue.tasksClaimedBy(call, keyId))
}

/** Lets the claims of a key end no later than the key itself. */
export const endClaimsBy = async (call: Call, keyId: string, endMs: number): Promise<void> => {
  for (const task of await queue.tasksClaimedBy(call, keyId)) {
    const claims = rules.endingBy(task.claims, endMs)
    if (claims !== task.claims) await writeRenewal(call, { ...task, claims })
  }
}
