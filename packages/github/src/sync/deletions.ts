import type { Task } from 'worklore-client'
import { isGone, isRefusal } from '../github/client.js'
import { isGoneHere } from './comment-pairs.js'
import { goesIn, goesOut, type SyncContext } from './context.js'
import { reportFailure } from './failures.js'
import { linkOf } from './link.js'
import { isClaimed, isRecordRefusal, writeTask } from './pair.js'

/** A deleted task: GitHub's interface cannot delete its issue, so it is closed as not planned. */
export const closeIssue = async (context: SyncContext, number: number, taskId?: string): Promise<boolean> => {
  const { wl, github, report, isDryRun, withDeletions } = context
  if (!withDeletions || !goesOut(context)) return true
  try {
    const issue = await github.issue(number)
    if (issue.state === 'closed' || (taskId && !(await isGoneHere(wl.tasks.get(taskId))))) return true
    if (!isDryRun) await github.updateIssue(number, { state: 'closed', state_reason: 'not_planned' })
    report.did({ action: 'issue.closed', issue: number, task: taskId })
    return true
  } catch (error) {
    if (isGone(error)) return true
    const record = { issue: number, task: taskId }
    if (isRefusal(error)) report.refused({ ...record, reason: error.message })
    else await reportFailure(context, record, error)
    return false
  }
}

/**
 * A deleted issue: its task stays, and says so, unless deletions are carried over. The task of a transferred one stays
 * in any case. False where that was refused.
 */
export const endTask = async (
  context: SyncContext,
  task: Task,
  number: number,
  isTransferred: boolean,
): Promise<boolean> => {
  const { wl, report, isDryRun } = context
  if (!goesIn(context)) return true
  const withDeletions = context.withDeletions && !isTransferred
  if (withDeletions && isClaimed(task)) {
    report.refused({ issue: number, task: task.id, reason: `${task.id} is claimed and was not deleted` })
    return false
  }
  try {
    if (withDeletions) {
      if (!isDryRun) await wl.tasks.delete(task.id, { ifMatch: task })
      report.did({ action: 'task.deleted', issue: number, task: task.id })
    } else if (!linkOf(task).deleted) {
      if (!isDryRun) await writeTask(context, task, { metadata: { github: { ...linkOf(task), deleted: true } } })
      const detail = isTransferred ? 'transferred to another repository' : 'deleted'
      report.did({ action: 'issue.gone', issue: number, task: task.id, detail })
    }
    return true
  } catch (error) {
    if (!isRecordRefusal(error)) throw error
    report.refused({ issue: number, task: task.id, reason: error.message })
    return false
  }
}
