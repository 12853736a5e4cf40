import type { Task, Worklore } from 'worklore-client'
import { isOpen, openStatuses } from '../choices.js'
import { command } from '../command.js'
import { asTaskId } from '../task-id.js'
import { taskLine } from '../task-text.js'
import type { Screen } from '../terminal/screen.js'

/** More than this is no longer a picture; the service allows 1,000 tasks below one. */
const maxTasks = 1_000

interface Forest {
  roots: Task[]
  children: Map<string, Task[]>
  /** Every task that the picture names, by id. */
  byId: Map<string, Task>
}

const forestOf = (tasks: readonly Task[]): Forest => {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const children = new Map<string, Task[]>()
  const roots: Task[] = []
  for (const task of tasks) {
    const { parentId } = task
    if (parentId === null || !byId.has(parentId)) roots.push(task)
    else children.set(parentId, [...(children.get(parentId) ?? []), task])
  }
  return { roots, children, byId }
}

/** A task and all below it, level by level. */
const subtree = async (wl: Worklore, id: string): Promise<Task[]> => {
  const tasks = [await wl.tasks.get(id)]
  for (let at = 0; at < tasks.length && tasks.length < maxTasks; at++) {
    const { id: parentId, children } = tasks[at]!
    if (children.total === 0) continue
    for await (const task of wl.tasks.list({ parentId, sort: 'createdAt', limit: 100 })) tasks.push(task)
  }
  return tasks
}

const openTasks = async (wl: Worklore, projectId: string | undefined): Promise<Task[]> => {
  const tasks: Task[] = []
  const filters = { projectId, status: openStatuses, sort: 'createdAt' as const }
  for await (const task of wl.tasks.list({ ...filters, limit: 100 })) {
    tasks.push(task)
    if (tasks.length === maxTasks) break
  }
  return tasks
}

/** Open blockers that the picture does not have already, such as those of other projects. */
const fetchBlockers = async (wl: Worklore, tasks: readonly Task[], byId: Map<string, Task>): Promise<void> => {
  for (const { id, blockedBy, openBlockers } of tasks) {
    const seen = blockedBy.filter((blocker) => byId.has(blocker) && isOpen(byId.get(blocker)!.statusCategory))
    if (seen.length >= openBlockers) continue
    for await (const blocker of wl.tasks.list({ blocks: id, limit: 50 })) byId.set(blocker.id, blocker)
  }
}

const draw = (screen: Screen, { roots, children, byId }: Forest): string => {
  const lines: string[] = []
  const blockerLine = (id: string): string => {
    const task = byId.get(id)
    const what = task && isOpen(task.statusCategory) ? '⧗ waits for' : '✓ waited for'
    return screen.paint('dim', `${what} ${task ? taskLine(screen, task) : id}`)
  }
  const visit = (task: Task, lead: string, below: string): void => {
    lines.push(`${lead}${taskLine(screen, task)}`)
    const subtasks = children.get(task.id) ?? []
    for (const id of task.blockedBy) lines.push(`${below}${subtasks.length > 0 ? '│ ' : '  '}${blockerLine(id)}`)
    for (const [at, subtask] of subtasks.entries()) {
      const isLast = at === subtasks.length - 1
      visit(subtask, `${below}${isLast ? '└─ ' : '├─ '}`, `${below}${isLast ? '   ' : '│  '}`)
    }
  }
  for (const root of roots) visit(root, '', '')
  return lines.join('\n')
}

export const tree = command({
  words: ['[ID]'],
  more: 'Without ID, all open tasks of the project.',
  run: async (cli, _values, [word]) => {
    const wl = cli.client()
    const tasks = word === undefined ? await openTasks(wl, cli.settings.project) : await subtree(wl, asTaskId(word))
    const forest = forestOf(tasks)
    if (cli.isText) await fetchBlockers(wl, tasks, forest.byId)
    if (tasks.length >= maxTasks) cli.note(`Only the first ${maxTasks} tasks are shown.`)
    return { body: { data: tasks }, ids: tasks.map(({ id }) => id), text: (screen) => draw(screen, forest) }
  },
})
