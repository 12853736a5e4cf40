import type { Task } from 'worklore-client'
import type { SyncContext } from './context.js'
import { scanTasks } from './find-tasks.js'
import { externalIdOf, issueOf, linkOf } from './link.js'
import { writeTask } from './pair.js'

/** Links tasks of a repository's former name to its present one. */
export const relink = async (context: SyncContext, formerName: string): Promise<void> => {
  const { repo, report, isDryRun } = context
  const present = (id: string): string => {
    const number = issueOf({ externalId: id }, formerName)
    return number === undefined ? id : externalIdOf(repo, number)
  }
  const tasks: Task[] = []
  await scanTasks(context, (task) => {
    const { pulls = {} } = linkOf(task)
    if ([task.externalId ?? '', ...Object.keys(pulls)].some((id) => present(id) !== id)) tasks.push(task)
  })
  for (const task of tasks) {
    const { pulls, ...link } = linkOf(task)
    const renamed = pulls && Object.fromEntries(Object.entries(pulls).map(([id, pull]) => [present(id), pull]))
    const github = { ...link, repo, ...(renamed && { pulls: renamed }) }
    const externalId = task.externalId === null ? null : present(task.externalId)
    if (!isDryRun) await writeTask(context, task, { externalId, metadata: { github } })
    report.did({ action: 'task.linked', issue: issueOf({ externalId }, repo), task: task.id })
  }
}
