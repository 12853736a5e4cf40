import { setTimeout as pause } from 'node:timers/promises'
import { PreconditionFailedError, type Task } from 'worklore-client'
import { isRefusal } from '../github/client.js'
import type { Issue } from '../github/records.js'
import { commentsOf, copiesOf } from './comment-pairs.js'
import type { SyncContext } from './context.js'
import { reportFailure } from './failures.js'
import { labelsForIssue, labelsOfIssue } from './labels.js'
import { type Base, externalIdOf, type Link, linkOf, unknownBase } from './link.js'
import { isWrittenThere, taskOfIssueBody, withIssueMarker } from './markers.js'
import { isRecordRefusal, linkTo, writeTask } from './pair.js'
import { baseOf, basesOfNewIssue, bodyForIssue, titleForIssue } from './values.js'

/** GitHub's clock and ours may differ, and its lists lag behind. */
const skewMs = 60_000

/** The issue that an ended run created for a task and did not note. */
const findCreated = async (
  { github, writers }: SyncContext,
  taskId: string,
  at: string,
): Promise<Issue | undefined> => {
  const since = new Date(Date.parse(at) - skewMs).toISOString()
  for await (const { records } of github.changedIssues(since)) {
    const found = records.find((issue) => taskOfIssueBody(issue.body) === taskId && isWrittenThere(issue, writers))
    if (found) return found
  }
  return undefined
}

/**
 * Notes the issue of a task. `sent` is the task as the issue was created from it; where that is not known, what differs
 * counts as changed on both sides. The rest, such as a closed status, is left to the comparison of both.
 */
export const linkIssue = async (
  context: SyncContext,
  issue: Issue,
  task: Task,
  sent: Task | undefined,
): Promise<Task> => {
  const { repo, report } = context
  const base: Base = {
    ...(sent ? basesOfNewIssue(issue, sent) : { title: unknownBase, body: unknownBase }),
    // As every new issue is.
    state: baseOf('open', 'open'),
    assignee: baseOf('', ''),
    labels: sent
      ? { github: labelsOfIssue(issue), worklore: labelsForIssue(sent.labels) }
      : { github: [], worklore: [] },
    milestone: null,
  }
  const { creating: _, deleted: __, ...link } = linkTo(issue, repo, linkOf(task))
  const linked: Link = { ...link, base, backfill: true }
  const changes = { externalId: externalIdOf(repo, issue.number), metadata: { github: linked } }
  const updated = await writeTask(context, task, changes)
  report.did({ action: 'task.linked', issue: issue.number, task: task.id })
  return updated
}

/**
 * Creates the issue of a task, once: the task says that it is being created before the request is sent, and the issue
 * says which task it is for. Undefined where it is refused, or left to another run.
 */
export const createIssue = async (
  context: SyncContext,
  first: Task,
): Promise<{ issue: Issue; task: Task } | undefined> => {
  const { wl, github, repo, run, report, writers, isDryRun, settleMs } = context
  let task = first
  if (isDryRun) {
    report.did({ action: 'issue.created', task: task.id, detail: task.title })
    const comments = await commentsOf(context, task)
    const { byId } = copiesOf(comments, writers)
    for (const { id } of comments) if (!byId.has(id)) report.did({ action: 'comment.sent', task: task.id, detail: id })
    return undefined
  }
  try {
    const { creating } = linkOf(task)
    if (creating) {
      const waitMs = Date.parse(creating.at) + settleMs - Date.now()
      if (waitMs > 0) await pause(waitMs)
      const found = await findCreated(context, task.id, creating.at)
      if (found) return { issue: found, task: await linkIssue(context, found, task, undefined) }
    }
    const reserve = async (): Promise<void> => {
      const reservation = { run, at: new Date().toISOString() }
      task = await writeTask(context, task, { metadata: { github: { ...linkOf(task), repo, creating: reservation } } })
    }
    const fields = {
      title: titleForIssue(task.title),
      body: withIssueMarker(bodyForIssue(task.description), task.id),
      labels: labelsForIssue(task.labels),
    }
    const issue = await github.createIssue(fields, reserve)
    report.did({ action: 'issue.created', issue: issue.number, task: task.id, detail: task.title })
    // The task may have changed since; the link is noted on what it is now, and compared after that.
    const sent = task
    for (;;) {
      try {
        return { issue, task: await linkIssue(context, issue, task, sent) }
      } catch (error) {
        if (!(error instanceof PreconditionFailedError) || error.currentVersion === null) throw error
        task = await wl.tasks.get(task.id)
        if (linkOf(task).creating?.run !== run) return undefined
      }
    }
  } catch (error) {
    // Another run came first, or the task is gone: the events say so.
    if (error instanceof PreconditionFailedError) return undefined
    if (isRecordRefusal(error) || isRefusal(error)) report.refused({ task: task.id, reason: error.message })
    else await reportFailure(context, { task: task.id }, error)
    return undefined
  }
}
