import { isoTime } from '../../../base/clock.js'
import { AppError, invalid, notFound } from '../../../base/errors.js'
import type { Preconditions } from '../../../base/versions.js'
import { logState } from '../../../changelog/changes.js'
import { moveNotices } from '../../../changelog/inbox/maintenance.js'
import { recordAll } from '../../../changelog/record.js'
import { moveDeletedComments } from '../../../changelog/trash/entry.js'
import { movesOfTasks } from '../../../changelog/versions/find.js'
import type { SkippedLink } from '../../../changelog/versions/schema.js'
import { requireProject } from '../../../operations/actor.js'
import { type Call, changing } from '../../../operations/call.js'
import type { Project } from '../../../tenancy/projects/schema.js'
import { currentProject, projectNamed } from '../../../tenancy/projects/service.js'
import { statusIn } from '../../../tenancy/projects/statuses.js'
import { expireClaim } from '../claims/expire.js'
import { guard, hasLapsed } from '../claims/rules.js'
import { moveComments } from '../comments/store.js'
import { moveQuestions } from '../questions/store.js'
import { takeRanks } from '../rank/rank.js'
import { refuseTakenExternalId } from '../references.js'
import { requireFree } from '../resources/service.js'
import type { MovedRest } from '../restore/kept-version.js'
import type { TaskVersion } from '../schema.js'
import { answerOf, findTask, replaceFields, type TaskAnswer, touchTask } from '../service.js'
import { statusBefore } from '../statuses/service.js'
import { findTasks } from '../store.js'
import { numberOf, type StoredTask } from '../stored-task.js'
import { deleteLinks, findSubtreeLevels } from '../structure/link-store.js'
import { type TaskChange, writeTasks } from '../write/write.js'

/** A task and all below it. */
const maxMovedTasks = 200

/** Ids have smaller numbers: beyond them a task has one that no task of its project gets from its id. */
const firstMovedNumber = 1_000_000_000_000_000

/** A task and all below it, the deepest first, whose claims, if they show any, are live and the caller's to move. */
const membersOf = async (call: Call, { doc, claims }: StoredTask): Promise<StoredTask[]> => {
  const { db, actor, clock } = call
  guard(claims, call.claim, actor, clock())
  const subtree = await findSubtreeLevels(db, actor.tenantId, doc.id, maxMovedTasks + 1)
  if (subtree.length > maxMovedTasks) {
    const message = `has more than ${maxMovedTasks} tasks with those below it; move its subtasks first`
    throw invalid({ path: 'taskId', message })
  }
  call.work?.expect('change', 2 * subtree.length)
  const ids = subtree.sort((one, other) => other.level - one.level).map(({ id }) => id)
  const members: StoredTask[] = []
  for (const member of await findTasks(db, actor.tenantId, ids)) {
    const settled = hasLapsed(member.claims.current, clock()) ? await expireClaim(call, member) : member
    guard(settled.claims, call.claim, actor, clock())
    members.push(settled)
  }
  return members
}

/** By the id of a task, where it is in the order of a project. */
type Ranks = ReadonlyMap<string, number>

/** Where tasks were in the order of a project when they were last moved out of it. */
const ranksBefore = async (call: Call, tasks: readonly StoredTask[], projectId: string): Promise<Ranks> => {
  const ranks = new Map<string, number>()
  const ids = tasks.map(({ doc }) => doc.id)
  for (const { record, rest } of await movesOfTasks(call, ids)) {
    const left = JSON.parse(rest) as MovedRest
    if (left.projectId === projectId && !ranks.has(record)) ranks.set(record, left.rank)
  }
  return ranks
}

/**
 * What tasks are in another project, where those without a rank come last in their order. Every move is an event, so that
 * no number is given out twice.
 */
const movedTo = async (
  call: Call,
  members: readonly StoredTask[],
  project: Project,
  known: Ranks,
): Promise<TaskChange[]> => {
  const { db, actor, clock } = call
  const updatedAt = isoTime(clock())
  const { newest } = (await logState(db, actor.tenantId, 0))!
  const last = members.filter(({ doc }) => !known.has(doc.id))
  const taken = last.length > 0 ? await takeRanks(call, project.id, last) : undefined
  const top = members.at(-1)!
  return members.map((before, at) => {
    const { doc, counts } = before
    const own = numberOf(doc.id)
    const isTop = before === top
    const status = statusIn(project.statuses, doc)
    return {
      before,
      after: {
        ...before,
        rank: known.get(doc.id) ?? taken!.get(doc.id)!,
        number: doc.id === `${project.key}-${own}` ? own : firstMovedNumber + newest + at,
        statuses: project.statuses,
        doc: {
          ...doc,
          ...status,
          projectId: project.id,
          parentId: isTop ? null : doc.parentId,
          version: doc.version + 1,
          updatedAt,
        },
        counts: isTop ? { ...counts, blockedAncestors: 0 } : counts,
      },
      event: {
        type: 'task.moved',
        previous: {
          projectId: doc.projectId,
          ...(isTop && doc.parentId !== null && { parentId: doc.parentId }),
          ...statusBefore(doc, status),
        },
      },
    }
  })
}

/** Puts tasks into another project, the last of them being the one at their top, which loses its parent. */
const putInto = async (
  call: Call,
  members: readonly StoredTask[],
  project: Project,
  ranks: Ranks = new Map(),
): Promise<void> => {
  const { db, actor } = call
  const { tenantId } = actor
  const { id: topId, projectId: from, parentId } = members.at(-1)!.doc
  const ids = members.map(({ doc }) => doc.id)
  const changes = await movedTo(call, members, project, ranks)
  for (const { after } of changes) await refuseTakenExternalId(call, null, after)
  for (const task of members) if (task.claims.current) await requireFree(call, task, project.id)
  await db.runAll([
    ...(parentId === null
      ? []
      : deleteLinks(tenantId, [
          { taskId: topId, kind: 'parent', otherId: parentId },
          { taskId: parentId, kind: 'child', otherId: topId },
        ])),
    moveComments(db, tenantId, ids, project.id),
    moveQuestions(db, tenantId, ids, project.id),
  ])
  const isPrivate = (await currentProject(call, from))?.visibility === 'private'
  await moveNotices(call, ids, { from, to: project.id, isPrivate })
  // Comments that were deleted in a private project stay private.
  if (!isPrivate) await moveDeletedComments(call, ids, project.id)
  // The project that they leave is told where they are, and nothing of what is in them now.
  await recordAll(
    call,
    changes.map(({ after: { doc } }) => ({
      type: 'task.moved' as const,
      subject: doc.id,
      projectId: from,
      data: JSON.stringify({ id: doc.id, projectId: doc.projectId, version: doc.version }),
      previous: JSON.stringify({ projectId: from }),
    })),
  )
  await writeTasks(call, changes)
}

/** Moves a task and all below it to another project. */
export const moveTask = (
  call: Call,
  id: string,
  projectRef: string,
  preconditions: Preconditions = {},
): Promise<TaskAnswer> =>
  changing(call, async (call) => {
    const task = await touchTask(call, id, preconditions)
    const project = await projectNamed(call, projectRef)
    if (task.doc.projectId === project.id) {
      throw new AppError('same_project', `${id} is already in project ${project.key}.`)
    }
    await putInto(call, await membersOf(call, task), project)
    return answerOf(await findTask(call, id))
  })

/** Takes from a task what it will not have once it is as wanted, so that this is not refused by the project it goes to. */
const dropReplaced = (call: Call, task: StoredTask, wanted: TaskVersion): Promise<StoredTask> => {
  const { externalId, resources } = task.doc
  const keepsClaim = wanted.statusCategory === 'in_progress'
  return replaceFields(call, task, {
    assignee: task.assignee,
    externalId: externalId === wanted.externalId ? externalId : null,
    // Without a claim it reserves none.
    resources: task.claims.current
      ? resources.filter((resource) => keepsClaim && wanted.resources.includes(resource))
      : resources,
  })
}

/** Moves a task that is to be as wanted back to the project that it was in, if that is still there. */
export const moveBack = async (
  call: Call,
  task: StoredTask,
  wanted: TaskVersion,
  skipped: SkippedLink[],
): Promise<StoredTask> => {
  const { id } = task.doc
  const { projectId } = wanted
  if (task.doc.projectId === projectId) return task
  const project = await currentProject(call, projectId)
  if (!project) {
    skipped.push({ task: id, field: 'projectId', value: projectId, reason: 'not found' })
    return task
  }
  requireProject(call, projectId, () => notFound('project', projectId))
  const members = await membersOf(call, await dropReplaced(call, task, wanted))
  await putInto(call, members, project, await ranksBefore(call, members, projectId))
  return findTask(call, id)
}
