import { type Project, type Task, taskStatuses } from 'worklore-client'
import { usageError } from '../exit-codes.js'
import type { TaskTarget } from './import-tasks.js'
import type { Source, SourceTask } from './records.js'

type Category = Task['statusCategory']
type Statuses = Project['statuses']

/** What a status of the source becomes. */
export interface StatusMapping {
  /** What the source calls it. */
  from: string
  /** A status of the project, or a built-in one. */
  to: string
  category: Category
  tasks: number
  /** Whether it is a guess by the name, which somebody has to confirm. */
  isGuess: boolean
}

/** Statuses that a tool has from the start, and what they mean there; without case, spaces and underscores. */
const commonNames: Readonly<Record<string, Category>> = {
  todo: 'todo',
  inprogress: 'in_progress',
  inreview: 'in_review',
  done: 'done',
  cancelled: 'cancelled',
  canceled: 'cancelled',
}
const namesOfFormat: Readonly<Record<string, Readonly<Record<string, Category>>>> = {
  linear: { triage: 'todo', backlog: 'todo', duplicate: 'cancelled' },
  plane: { backlog: 'todo' },
  beads: { open: 'todo', closed: 'done' },
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, '')

const isBuiltIn = (name: string): name is Category => (taskStatuses as readonly string[]).includes(name)

const categoryOf = (statuses: Statuses, status: string): Category | undefined =>
  statuses?.find((own) => own.status === status)?.category ?? (isBuiltIn(status) ? status : undefined)

/** What `--map "In QA=in_review"` says, by the name in the source. */
export const readMap = (given: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    given.map((entry) => {
      const at = entry.lastIndexOf('=')
      const [from, to] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()]
      // A task of the source may have no status.
      if (at < 0 || to === '') throw usageError(`--map ${entry}: say NAME=STATUS, as in "In QA=in_review".`)
      return [from.toLowerCase(), to] as const
    }),
  )

interface Taken {
  to: string
  category: Category
  isGuess: boolean
}

const takenFor = (task: SourceTask, format: string, statuses: Statuses, map: ReadonlyMap<string, string>): Taken => {
  const { status, statusName, category } = task
  const name = statusName ?? status
  const mapped = map.get(name.toLowerCase())
  if (mapped !== undefined) {
    const known = categoryOf(statuses, mapped)
    if (known) return { to: mapped, category: known, isGuess: false }
    const all = [...new Set([...(statuses ?? []).map((own) => own.status), ...taskStatuses])]
    throw usageError(`--map ${name}=${mapped}: "${mapped}" is not a status. Use one of ${all.join(', ')}.`)
  }
  if (statusName === undefined) {
    // The source tells the category itself.
    return { to: categoryOf(statuses, status) === category ? status : category, category, isGuess: false }
  }
  const [same, other] = statuses?.filter((own) => own.status === name || plain(own.name) === plain(name)) ?? []
  // Two of that name may mean different things.
  if (same) return { to: same.status, category: same.category, isGuess: other !== undefined && same.status !== name }
  const usual = namesOfFormat[format]?.[plain(name)] ?? commonNames[plain(name)]
  return { to: category, category, isGuess: usual === undefined }
}

/** The tasks of a source with the statuses that they get, and what became of those of the source. */
export const mapStatuses = (
  { tasks, format }: Source,
  { projectIdOf, statusesOf, existing }: TaskTarget,
  map: ReadonlyMap<string, string>,
): { tasks: SourceTask[]; mappings: StatusMapping[] } => {
  const mappings = new Map<string, StatusMapping>()
  const names = new Set(tasks.map(({ statusName, status }) => (statusName ?? status).toLowerCase()))
  const unused = [...map.keys()].find((name) => !names.has(name))
  if (unused !== undefined)
    throw usageError(`--map ${unused}=${map.get(unused)}: no task of the source has that status.`)
  const mapped = tasks.map((task) => {
    const { to, category, isGuess } = takenFor(task, format, statusesOf(projectIdOf(task)), map)
    const from = task.statusName ?? task.status
    const name = `${from}\0${to}`
    const before = mappings.get(name) ?? { from, to, category, tasks: 0, isGuess: false }
    const isNew = !existing.has(task.id)
    mappings.set(name, {
      ...before,
      tasks: before.tasks + 1,
      // What was imported before stays as it is.
      isGuess: before.isGuess || (isGuess && isNew),
    })
    return { ...task, status: to, category }
  })
  return { tasks: mapped, mappings: [...mappings.values()] }
}

export const mappingLines = (mappings: readonly StatusMapping[]): string[] =>
  mappings.map(({ from, to, tasks }) => `${from || '(none)'} → ${to} (${tasks === 1 ? '1 task' : `${tasks} tasks`})`)
