import { join, relative, sep } from 'node:path'
import { type CreateTaskBody, taskPatchFields, taskPriorities, taskStatuses } from 'worklore-client'
import { CommandError } from '../../exit-codes.js'
import { readText } from '../../input.js'
import { isFile, isFolder, markdownFiles } from '../files.js'
import { numberedLines, parseLine } from '../json-lines.js'
import { exportVersion, folderFiles, noteOfName } from '../layout.js'
import { ownFields, splitExported } from '../note-front-matter.js'
import { collect, emptySource, type NoteFields, type Source, type SourceProject, type SourceTask } from '../records.js'
import { asObject, known, labelsOf, objectsOf, optionalText, requiredText, textsOf, timeOf } from '../values.js'
import { authorOf, checksOf, decisionComments, inOrder, questionComment } from './decisions.js'

const oneOf = <T extends string>(known: readonly T[], name: string, value: unknown, fallback: T): T => {
  if (value === undefined) return fallback
  if (!known.includes(value as T)) throw new Error(`${name} must be one of ${known.join(', ')}`)
  return value as T
}

/** Of the projects in an export, by their ids. */
type ProjectKeys = Map<unknown, string>

/** In a file without projects, a task is where its id says that it was created. */
const projectOfId = (id: string): string => {
  const key = /^([A-Z][A-Z0-9]{1,9})-\d+$/.exec(id)?.[1]
  if (key === undefined) throw new Error(`id "${id}" is not a task id`)
  return key
}

/** Fields that an import reads by name, or does not keep. */
const readByName = [
  ...['title', 'description', 'status', 'priority', 'labels', 'dueDate', 'notBefore', 'blockedBy', 'parentId'],
  ...['assigneeId', 'externalId', 'metadata', 'checks', 'attempts'],
]
const otherFields = taskPatchFields.filter((name) => !readByName.includes(name))

const fieldsOf = (task: Record<string, unknown>): Partial<CreateTaskBody> =>
  known(Object.fromEntries(otherFields.map((name) => [name, task[name]])))

const taskOf = (place: string, task: Record<string, unknown>, projects: ProjectKeys): SourceTask => {
  const id = requiredText(task, 'id')
  const { imported, importPending: _, ...metadata } = (task.metadata ?? {}) as Record<string, unknown>
  const assignee = task.assignee as { name?: unknown } | null | undefined
  const category = oneOf(taskStatuses, 'statusCategory', task.statusCategory, 'todo')
  return {
    place,
    id,
    project: projects.get(task.projectId) ?? projectOfId(id),
    title: requiredText(task, 'title'),
    description: optionalText(task.description) ?? '',
    ...{ status: optionalText(task.status) ?? category, category },
    priority: oneOf(taskPriorities, 'priority', task.priority, 'medium'),
    labels: labelsOf(textsOf(task.labels)),
    assignee: optionalText(assignee?.name),
    dueDate: optionalText(task.dueDate),
    notBefore: timeOf(task.notBefore),
    blockedBy: textsOf(task.blockedBy),
    parentId: optionalText(task.parentId),
    // A task that is done has its checks behind it.
    checks: category === 'done' ? [] : checksOf(task.checks),
    fields: fieldsOf(task),
    metadata,
    origin: known({
      author: authorOf(task.createdBy),
      createdAt: timeOf(task.createdAt),
      updatedAt: timeOf(task.updatedAt),
      externalId: task.externalId,
      imported,
    }),
    comments: [
      ...objectsOf(task.comments).map((comment) => ({
        author: authorOf(comment.createdBy),
        at: timeOf(comment.createdAt),
        text: String(comment.body ?? ''),
      })),
      ...decisionComments(task.checks),
    ],
  }
}

const noteFieldsOf = (note: Record<string, unknown>): NoteFields => ({
  title: optionalText(note.title),
  tags: textsOf(note.tags),
  metadata: note.metadata === undefined ? undefined : asObject(note.metadata),
  source: optionalText(note.source),
  validUntil: optionalText(note.validUntil),
  supersedes: textsOf(note.supersedes),
})

const addLine = (
  source: Source,
  projects: ProjectKeys,
  tasks: Map<string, SourceTask>,
  place: string,
  record: Record<string, unknown>,
): void => {
  switch (record.kind) {
    case 'export':
      if (Number(record.version) > exportVersion) {
        throw new CommandError(`${place}: the export was written by a newer version of wl. Update wl.`)
      }
      break
    case 'project': {
      const key = requiredText(record, 'key')
      if (record.id !== undefined) projects.set(record.id, key)
      source.projects.push({
        place,
        key,
        name: requiredText(record, 'name'),
        description: optionalText(record.description) ?? '',
        maxAttempts: typeof record.maxAttempts === 'number' ? record.maxAttempts : undefined,
        defaultChecks: checksOf(record.defaultChecks),
        ...(Array.isArray(record.statuses) && { statuses: record.statuses as NonNullable<SourceProject['statuses']> }),
        ...(record.visibility === 'private' && { visibility: record.visibility }),
        pauseReason: optionalText(asObject(record.paused ?? {}).reason),
      })
      break
    }
    case 'task': {
      const task = taskOf(place, record, projects)
      source.tasks.push(task)
      tasks.set(task.id, task)
      break
    }
    case 'question': {
      const taskId = requiredText(record, 'taskId')
      const task = tasks.get(taskId)
      if (!task) throw new Error(`task ${taskId} is not in the export`)
      task.comments = inOrder([...task.comments, questionComment(record, task)])
      break
    }
    case 'note': {
      const { content } = record
      if (typeof content !== 'string') throw new Error('content is missing')
      const retraction = record.retraction as { reason?: unknown } | null | undefined
      source.notes.push({
        place,
        key: requiredText(record, 'key'),
        project: optionalText(record.project),
        fields: noteFieldsOf(record),
        retraction: optionalText(retraction?.reason),
        content: () => content,
      })
      break
    }
    default:
      throw new Error(`kind must be one of project, task, question, note`)
  }
}

const addLines = async (source: Source, projects: ProjectKeys, file: string): Promise<void> => {
  const tasks = new Map<string, SourceTask>()
  for await (const { place, text } of numberedLines(file)) {
    collect(source, place, () => addLine(source, projects, tasks, place, asObject(parseLine(text))))
  }
}

const emptyExport = (): Source => ({ ...emptySource('worklore'), hasProjects: true })

/** One file of JSON lines, as `wl export FILE.jsonl` writes it. */
export const readWorkloreFile = async (file: string): Promise<Source> => {
  const source = emptyExport()
  await addLines(source, new Map(), file)
  return source
}

/** The name of a file is its key, unless front matter of the export says more. */
const addNote = (source: Source, folder: string, file: string): void => {
  const text = readText(file)
  const { said } = splitExported(text)
  const note = said ?? { ...noteOfName(relative(folder, file).split(sep).join('/')), fields: ownFields(text) }
  if (note.key === '') throw new Error('is in no folder of a project or of the tenant')
  source.notes.push({ ...note, place: file, content: () => splitExported(readText(file)).content })
}

/** A folder, as `wl export FOLDER` writes it. */
export const readWorkloreFolder = async (folder: string): Promise<Source> => {
  const source = emptyExport()
  const projects: ProjectKeys = new Map()
  for (const name of [folderFiles.header, folderFiles.tasks]) {
    const file = join(folder, name)
    if (isFile(file)) await addLines(source, projects, file)
  }
  const notes = join(folder, folderFiles.notes)
  for (const file of isFolder(notes) ? markdownFiles(notes) : []) {
    collect(source, relative('', file), () => addNote(source, notes, file))
  }
  return source
}
