import type { CreateTaskBody, Task } from 'worklore-client'
import { type BulkUnit, sendUnits } from 'worklore-client/bulk'
import type { Issue } from '../github/records.js'
import type { SyncContext } from './context.js'
import { labelsForIssue, labelsOfIssue, mergeLabels } from './labels.js'
import { type Base, externalIdOf } from './link.js'
import { linkTo } from './pair.js'
import type { People } from './people.js'
import { accountsText, baseOf, basesOfNewTask, descriptionOf, stateOfIssue, statusFor, titleForTask } from './values.js'

const taskFor = (issue: Issue, people: People, { repo, projectId }: SyncContext, isBackfill: boolean) => {
  const known = issue.assignees.map(({ login }) => login).filter((login) => people.userOf(login))
  const assignee = known[0] && people.userOf(known[0])
  const title = titleForTask(issue.title)
  const description = descriptionOf(issue.body)
  const state = stateOfIssue(issue)
  const labels = mergeLabels(issue, [], undefined, null).toTask ?? []
  const base: Base = {
    ...basesOfNewTask(issue, { title, description }),
    state: baseOf(state, state),
    assignee: baseOf(accountsText(known), known[0]?.toLowerCase() ?? ''),
    labels: { github: labelsOfIssue(issue), worklore: labelsForIssue(labels) },
    milestone: issue.milestone?.title ?? null,
  }
  const task: CreateTaskBody = {
    projectId,
    title,
    description,
    status: statusFor[state],
    labels,
    externalId: externalIdOf(repo, issue.number),
    metadata: { github: { ...linkTo(issue, repo, {}), base, ...(isBackfill && { backfill: true }) } },
    ...(assignee && { assigneeId: assignee.id }),
  }
  return task
}

interface CreatedTasks {
  tasks: Map<number, Task>
  /** Issues that were refused. */
  refused: number[]
}

/**
 * Creates tasks for issues, in batches. An issue whose task another run created meanwhile is left out. With
 * `isBackfill` their comments are still to be copied.
 */
export const createTasks = async (
  context: SyncContext,
  issues: readonly Issue[],
  isBackfill: boolean,
): Promise<CreatedTasks> => {
  const { wl, report, isDryRun } = context
  const created: CreatedTasks = { tasks: new Map(), refused: [] }
  if (issues.length === 0) return created
  const people = await context.people()
  if (isDryRun) {
    for (const { number, title } of issues) report.did({ action: 'task.created', issue: number, detail: title })
    return created
  }
  const unitFor = (issue: Issue): BulkUnit => ({
    operations: [{ method: 'POST', path: '/v1/tasks', body: taskFor(issue, people, context, isBackfill) }],
    onDone: ([result]) => {
      const task = (result!.body as { data: Task }).data
      created.tasks.set(issue.number, task)
      report.did({ action: 'task.created', issue: issue.number, task: task.id, detail: task.title })
    },
    onRefusal: (error) => {
      created.refused.push(issue.number)
      report.refused({ issue: issue.number, reason: error.message })
      return undefined
    },
  })
  await sendUnits(wl, issues.map(unitFor), {
    onWait: ({ message }, waitMs) => report.progress(`waiting ${Math.ceil(waitMs / 1_000)} s: ${message}`, 0),
  })
  return created
}
