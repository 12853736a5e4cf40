import type { Task } from 'worklore-client'
import type { SyncContext } from './context.js'
import { externalIdOf, issueOf } from './link.js'

/** Above this many issues, reading every task takes fewer requests than asking for each. */
const maxLookups = 50
const maxIds = 100

/** A task may have been moved: one in the project goes before one elsewhere. */
const preferred = (one: Task | undefined, other: Task, projectId: string): Task =>
  one === undefined || (one.projectId !== projectId && other.projectId === projectId) ? other : one

/** Every task of the project, and every task of this repository's issues wherever it is. `onTask` is told of all others too. */
export const scanTasks = async (context: SyncContext, onTask: (task: Task) => void = () => {}): Promise<Task[]> => {
  const { wl, repo, projectId, report } = context
  const tasks: Task[] = []
  let seen = 0
  for await (const page of wl.tasks.list({ sort: 'createdAt', limit: 100 }).pages()) {
    seen += page.data.length
    report.progress('tasks read', seen)
    page.data.forEach(onTask)
    tasks.push(...page.data.filter((task) => task.projectId === projectId || issueOf(task, repo) !== undefined))
  }
  return tasks
}

export const byIssue = (tasks: Iterable<Task>, { repo, projectId }: SyncContext): Map<number, Task> => {
  const found = new Map<number, Task>()
  for (const task of tasks) {
    const number = issueOf(task, repo)
    if (number !== undefined) found.set(number, preferred(found.get(number), task, projectId))
  }
  return found
}

/** The tasks of issues, in any project of the tenant. */
export const findByIssue = async (context: SyncContext, numbers: readonly number[]): Promise<Map<number, Task>> => {
  const { wl, repo } = context
  if (numbers.length > maxLookups) return byIssue(await scanTasks(context), context)
  const tasks: Task[] = []
  for (const number of numbers) {
    const { data } = await wl.tasks.list({ externalId: externalIdOf(repo, number), limit: 100 })
    tasks.push(...data)
  }
  return byIssue(tasks, context)
}

export const findById = async ({ wl }: SyncContext, ids: readonly string[]): Promise<Task[]> => {
  const tasks: Task[] = []
  for (let at = 0; at < ids.length; at += maxIds) {
    const { data } = await wl.tasks.list({ id: ids.slice(at, at + maxIds), limit: maxIds })
    tasks.push(...data)
  }
  return tasks
}
