import type { Task } from 'worklore-client'
import { type CommentChanges, copyOutward, hasOwnComments } from './comments-outward.js'
import { goesOut } from './context.js'
import { createIssue } from './create-issue.js'
import { closeIssue } from './deletions.js'
import { findById } from './find-tasks.js'
import { backfill, lookAt, pairChanged } from './issues-there.js'
import { issueOf, linkOf } from './link.js'
import { isInStep } from './pair.js'
import { guarded, hasLabels, learn, notePending, type Round } from './round.js'

/** Creates the issue of a task that has none and is to have one. */
const sendTask = async (round: Round, task: Task): Promise<void> => {
  const { context, tasks, seen, unsent } = round
  unsent.delete(task.id)
  const isOurs = task.externalId === null && task.projectId === context.projectId
  if (!isOurs || !goesOut(context) || !hasLabels(round, task.labels)) return
  const created = await createIssue(context, task)
  if (!created) {
    if (!context.isDryRun) unsent.add(task.id)
    return
  }
  const { number } = created.issue
  tasks.set(number, created.task)
  seen.add(number)
  await pairChanged(round, created.issue, created.task)
  await backfill(round, number, tasks.get(number)!)
}

/** A task that changed, or whose comments did. */
const taskChanged = async (round: Round, task: Task, comments: CommentChanges | undefined): Promise<void> => {
  const { context, here, tasks, gone, left, unfinished } = round
  const number = issueOf(task, context.repo)
  if (number === undefined) return sendTask(round, task)
  gone.delete(number)
  left.delete(number)
  if (linkOf(task).deleted) return
  await guarded(round, number, async () => {
    tasks.set(number, task)
    const isRestored = here?.restored.has(task.id) === true
    if (isRestored || !(await isInStep(context, task))) await lookAt(round, number)
    const current = tasks.get(number)
    if (!current) return
    if ((linkOf(current).backfill || isRestored) && !context.isDryRun) await backfill(round, number, current)
    else if (comments && goesOut(context)) {
      const outcome = await copyOutward(context, { number, task: current }, comments)
      tasks.set(number, outcome.task)
      if (!outcome.isDone) unfinished.add(number)
    }
  })
}

/** A task, where all are compared. */
const compareTask = async (round: Round, task: Task, withGitHub: boolean): Promise<void> => {
  const { context, tasks, fresh, seen } = round
  const number = issueOf(task, context.repo)
  if (number === undefined) {
    if (task.externalId !== null || !goesOut(context)) return
    // Its issue may have been noted since it was read.
    const [current] = await findById(context, [task.id])
    if (current) await sendTask(round, current)
  } else if (linkOf(task).deleted && !context.withDeletions) {
    return
  } else if (!seen.has(number) && withGitHub) {
    await lookAt(round, number)
  } else if (
    !linkOf(task).deleted &&
    !fresh.has(number) &&
    goesOut(context) &&
    !context.isDryRun &&
    (await hasOwnComments(context, task))
  ) {
    await backfill(round, number, tasks.get(number) ?? task)
  }
}

/** Issues of deleted tasks: closed where deletions are carried over, now or in a later run. */
const tasksDeleted = async (round: Round): Promise<void> => {
  const { context, here, tasks, left } = round
  for (const number of here?.deleted.keys() ?? []) tasks.delete(number)
  if (!context.withDeletions || !goesOut(context)) {
    for (const [issue, task] of here?.deleted ?? []) {
      if (!left.has(issue)) context.report.did({ action: 'issue.left', issue, task, detail: 'its task was deleted' })
      left.add(issue)
    }
    return
  }
  for (const [number, taskId] of here?.deleted ?? [])
    notePending(round, number, !(await closeIssue(context, number, taskId)))
  await learn(round, [...left])
  for (const number of left) {
    // A task that is there again was restored.
    if (!tasks.has(number)) notePending(round, number, !(await closeIssue(context, number)))
    left.delete(number)
  }
}

/** What changed in the service. */
export const tasksChanged = async (round: Round, withGitHub: boolean, withPending: boolean): Promise<void> => {
  const { context, here, scanned, unsent } = round
  await tasksDeleted(round)
  for (const task of scanned ?? []) await compareTask(round, task, withGitHub)
  if (!here) return
  const ids = new Set([...here.taskIds, ...(withPending ? unsent : [])])
  const found = await findById(context, [...ids])
  // Deleted, or linked by another run.
  const unlinked = new Set(found.filter((task) => task.externalId === null).map(({ id }) => id))
  for (const id of ids) if (!unlinked.has(id)) unsent.delete(id)
  for (const task of found) {
    const isOurs = task.projectId === context.projectId || issueOf(task, context.repo) !== undefined
    if (isOurs) await taskChanged(round, task, here.comments.get(task.id))
  }
}
