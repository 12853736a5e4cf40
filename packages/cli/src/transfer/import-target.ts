import type { Project, Worklore } from 'worklore-client'
import { CommandError, exitNothing, usageError } from '../exit-codes.js'
import type { Progress } from '../terminal/progress.js'
import type { NoteTarget } from './import-notes.js'
import { type ExistingTask, existingTask, type TaskTarget } from './import-tasks.js'
import type { Source, SourceProject } from './records.js'

type ImportTarget = TaskTarget &
  Omit<NoteTarget, 'projectIdOf'> & {
    noteProjectIdOf: NoteTarget['projectIdOf']
    /** Projects of the source that are not there yet. */
    missing: SourceProject[]
  }

interface Choice {
  /** Everything goes into this project. */
  project: string | undefined
  /** Notes of a source without projects go to the whole tenant. */
  isTenant: boolean
}

const listProjects = async (wl: Worklore): Promise<Map<string, Project>> => {
  const projects = new Map<string, Project>()
  for await (const project of wl.projects.list({ limit: 100 })) {
    projects.set(project.key, project)
    projects.set(project.id, project)
  }
  return projects
}

const listUsers = async (wl: Worklore): Promise<Map<string, string>> => {
  const users = new Map<string, string>()
  for await (const { id, name, email } of wl.users.list({ limit: 100 })) {
    users.set(name.toLowerCase(), id)
    if (email) users.set(email.toLowerCase(), id)
  }
  return users
}

const listExisting = async (
  wl: Worklore,
  projectIds: string[],
  progress: Progress,
): Promise<Map<string, ExistingTask>> => {
  const existing = new Map<string, ExistingTask>()
  if (projectIds.length === 0) return existing
  let seen = 0
  for await (const task of wl.tasks.list({ projectId: projectIds, sort: 'createdAt', limit: 100 })) {
    if (++seen % 100 === 0) progress.update('looking for what is there already', seen, seen)
    if (task.externalId !== null) existing.set(task.externalId, existingTask(task))
  }
  return existing
}

const noteName = (projectId: string | null, key: string): string => `${projectId ?? ''} ${key}`

const listNotes = async (wl: Worklore, projectIds: (string | null)[]): Promise<Set<string>> => {
  const names = new Set<string>()
  for (const projectId of projectIds) {
    const scope = projectId === null ? { scope: 'tenant' as const } : { projectId }
    const listed = wl.knowledge.list({ ...scope, fields: 'key', limit: 500 })
    for await (const { key } of listed) names.add(noteName(projectId, key))
  }
  return names
}

const distinct = <T>(values: Iterable<T>): T[] => [...new Set(values)]

/** Finds where records go, and what is there already. Without `isDry`, creates the projects that are missing. */
export const findTarget = async (
  wl: Worklore,
  source: Source,
  { project, isTenant }: Choice,
  isDry: boolean,
  progress: Progress,
): Promise<ImportTarget> => {
  const projects = await listProjects(wl)
  const isOwn = source.hasProjects && project === undefined
  if (!isOwn && source.tasks.length > 0 && project === undefined) {
    throw usageError('Name the project for the tasks with --project.')
  }
  if (project !== undefined && !projects.has(project)) {
    throw new CommandError(`Project ${project} not found. Create it with wl projects create ${project}.`, exitNothing)
  }

  const named = isOwn
    ? distinct([
        ...source.projects.map(({ key }) => key),
        ...source.tasks.map((task) => task.project!),
        ...source.notes.flatMap((note) => note.project ?? []),
      ])
    : []
  const missing = named
    .filter((key) => !projects.has(key))
    .map((key) => source.projects.find((each) => each.key === key) ?? { place: '', key, name: key, description: '' })
  if (!isDry) {
    for (const { place: _, maxAttempts, pauseReason: reason, ...project } of missing) {
      projects.set(project.key, await wl.projects.create({ ...project, ...(maxAttempts && { maxAttempts }) }))
      if (reason) await wl.projects.update(project.key, { paused: { reason } })
    }
  }

  const byId = new Map([...projects.values()].map((each) => [each.id, each]))
  /** In a dry run a project that would be created has no id yet. */
  const idOf = (key: string): string => projects.get(key)?.id ?? key
  const isKnown = (key: string): boolean => projects.has(key)
  const projectIdOf: TaskTarget['projectIdOf'] = (task) => idOf(project ?? task.project!)
  const noteProjectIdOf: NoteTarget['projectIdOf'] = (note) => {
    if (isOwn) return note.project === undefined ? null : idOf(note.project)
    return isTenant || project === undefined ? null : idOf(project)
  }

  const taskProjects = distinct(source.tasks.map((task) => project ?? task.project!)).filter(isKnown)
  const existing = await listExisting(wl, taskProjects.map(idOf), progress)
  const names = await listNotes(
    wl,
    distinct(source.notes.map(noteProjectIdOf)).filter((id) => id === null || isKnown(id)),
  )
  const users = source.tasks.some(({ assignee }) => assignee !== undefined)
    ? await listUsers(wl)
    : new Map<string, string>()
  return {
    projectIdOf,
    noteProjectIdOf,
    existing,
    defaultChecksOf: (projectId) => byId.get(projectId)?.defaultChecks ?? [],
    statusesOf: (projectId) => (byId.get(projectId) ?? missing.find(({ key }) => key === projectId))?.statuses ?? null,
    userIdOf: (name) => users.get(name.toLowerCase()),
    isThere: (projectId, key) => names.has(noteName(projectId, key)),
    missing,
  }
}
