import type { Task } from 'worklore-client'
import { isGone, isMoved } from '../github/client.js'
import type { Issue } from '../github/records.js'
import { announceCopies, copyInward, deleteInward } from './comments-inward.js'
import { copyOutward, noCommentChanges } from './comments-outward.js'
import { goesIn } from './context.js'
import { linkIssue } from './create-issue.js'
import { createTasks } from './create-tasks.js'
import { closeIssue, endTask } from './deletions.js'
import { findById } from './find-tasks.js'
import { labelsOfIssue } from './labels.js'
import { linkOf } from './link.js'
import { isWrittenThere, taskOfIssueBody } from './markers.js'
import { syncPair } from './pair.js'
import { namesTasks, syncPull } from './pulls.js'
import { guarded, hasLabels, learn, notePending, type Round } from './round.js'

export const pairChanged = (round: Round, issue: Issue, task: Task): Promise<void> =>
  guarded(round, issue.number, async () => {
    const outcome = await syncPair(round.context, issue, task)
    round.tasks.set(issue.number, outcome.task)
    notePending(round, issue.number, outcome.isPending)
  })

/** Copies every comment of an issue and its task to the other, as after they were linked. */
export const backfill = (round: Round, number: number, task: Task): Promise<void> =>
  guarded(round, number, async () => {
    const { context, tasks, dropped, unfinished } = round
    const there = await context.github.comments(number)
    const isDone = await copyInward(context, { number, task }, there, ({ id }) => !dropped.has(id))
    // The task may have comments now that it had not when it was read.
    const [current] = await findById(context, [task.id])
    if (!current) return
    const changes = { ...noCommentChanges(), isBackfill: true }
    const outcome = await copyOutward(context, { number, task: current }, changes, there)
    tasks.set(number, outcome.task)
    if (isDone && outcome.isDone) unfinished.delete(number)
    else unfinished.add(number)
  })

/** Tries again what was refused of comments. */
export const finishComments = async (round: Round, numbers: readonly number[]): Promise<void> => {
  const { context, tasks, unfinished } = round
  await learn(round, numbers)
  for (const number of numbers) {
    const task = tasks.get(number)
    if (!task || linkOf(task).deleted) unfinished.delete(number)
    else if (!context.isDryRun) await backfill(round, number, task)
  }
}

/** The task that an issue was created for by a run that ended before it could note the issue. */
const adopt = async ({ context }: Round, issue: Issue): Promise<Task | undefined> => {
  const id = taskOfIssueBody(issue.body)
  if (id === undefined || context.isDryRun || !isWrittenThere(issue, context.writers)) return undefined
  const [task] = await findById(context, [id])
  if (!task || task.externalId !== null || linkOf(task).creating === undefined) return undefined
  return linkIssue(context, issue, task, undefined)
}

const linkedChanged = async (round: Round, issue: Issue, known: Task): Promise<void> => {
  const { context, tasks, unfinished, isImport } = round
  const { number } = issue
  await pairChanged(round, issue, known)
  const task = tasks.get(number) ?? known
  if (linkOf(task).backfill && !context.isDryRun) await backfill(round, number, task)
  else if (context.withDeletions && goesIn(context) && !isImport) {
    if (!(await deleteInward(context, { number, task }))) unfinished.add(number)
  }
}

const createMissing = async (round: Round, missing: readonly Issue[]): Promise<void> => {
  const { context, tasks, fresh, announced, pending, isImport } = round
  // An import that is interrupted begins again, and compares all comments.
  const created = await createTasks(context, missing, !isImport)
  for (const { number } of context.isDryRun ? missing : []) {
    if (isImport) announced.add(number)
    else
      await guarded(round, number, async () => announceCopies(context, number, await context.github.comments(number)))
  }
  for (const number of created.refused) pending.add(number)
  for (const [number, task] of created.tasks) {
    tasks.set(number, task)
    pending.delete(number)
    if (isImport) fresh.add(number)
    else await backfill(round, number, task)
  }
}

/** Issues and pull requests that changed on GitHub. */
export const issuesChanged = async (round: Round, all: readonly Issue[]): Promise<void> => {
  const { context, tasks, seen, gone, pending, openPulls, named, changedPulls } = round
  const issues = all.filter((issue) => !issue.pull_request)
  await learn(
    round,
    issues.map(({ number }) => number),
  )
  const missing: Issue[] = []
  for (const issue of issues) {
    const { number } = issue
    seen.add(number)
    await guarded(round, number, async () => {
      const known = tasks.get(number) ?? (await adopt(round, issue))
      if (known) await linkedChanged(round, issue, known)
      else if (goesIn(context) && !gone.has(number) && hasLabels(round, labelsOfIssue(issue))) missing.push(issue)
      else notePending(round, number, pending.has(number) && gone.has(number) && !(await closeIssue(context, number)))
    })
  }
  await createMissing(round, missing)
  for (const pull of all.filter((issue) => issue.pull_request)) {
    seen.add(pull.number)
    if (namesTasks(context, pull) || named.has(pull.number)) changedPulls.set(pull.number, pull)
    else {
      openPulls.delete(pull.number)
      pending.delete(pull.number)
    }
  }
}

export const pullsChanged = async (round: Round): Promise<void> => {
  const { context, scanned, tasks, openPulls, named, changedPulls } = round
  for (const pull of changedPulls.values()) {
    const { number } = pull
    await guarded(round, number, async () => {
      const before = named.get(number) ?? []
      const { open, isPending, taskIds } = await syncPull(context, pull, before, scanned && tasks)
      if (taskIds.length > 0) named.set(number, taskIds)
      else named.delete(number)
      if (open) openPulls.set(number, open)
      else openPulls.delete(number)
      notePending(round, number, isPending)
    })
  }
}

const issueGone = async (round: Round, number: number, isTransferred: boolean): Promise<void> => {
  await learn(round, [number])
  const task = round.tasks.get(number)
  notePending(round, number, task !== undefined && !(await endTask(round.context, task, number, isTransferred)))
  round.tasks.delete(number)
  round.openPulls.delete(number)
}

/** Looks at an issue that no list showed. */
export const lookAt = (round: Round, number: number): Promise<void> =>
  guarded(round, number, async () => {
    let issue: Issue
    try {
      issue = await round.context.github.issue(number)
    } catch (error) {
      if (!isGone(error)) throw error
      return issueGone(round, number, isMoved(error))
    }
    await issuesChanged(round, [issue])
  })
