import { basename, join } from 'node:path'
import type { Task } from 'worklore-client'
import { readText } from '../../input.js'
import { isFolder, markdownFiles } from '../files.js'
import { type FrontMatter, listField, splitFrontMatter, textField } from '../front-matter.js'
import { collect, emptySource, type Source, type SourceTask } from '../records.js'
import { categoryOfName, dueDateOf, known, labelsOf, parentOfId, priorityOfName, timeOf } from '../values.js'
import { readMarkdown } from './markdown.js'

const markers = /^<!-- (?:SECTION|AC|DOD):.*-->\r?\n?/gm

/** Ids are written as task-12 and as TASK-12. */
const idOf = (text: string): string => text.trim().toLowerCase()

interface TaskFolder {
  name: string
  /** The status of all that is in it. */
  category?: Task['statusCategory']
  label?: string
}

const taskOf = (file: string, folder: TaskFolder): SourceTask => {
  const { fields, body } = splitFrontMatter(readText(file))
  if (!fields) throw new Error('has no front matter')
  const field = (name: string): string => textField(fields as FrontMatter, name)
  const id = idOf(field('id') || (/^([\w.-]+) - /.exec(basename(file))?.[1] ?? ''))
  if (id === '') throw new Error('has no id')
  const title = field('title')
  if (title === '') throw new Error('has no title')
  const parent = idOf(field('parent_task_id'))
  const category = folder.category ?? categoryOfName(field('status'))
  return {
    place: file,
    id,
    aliases: [id.toUpperCase()],
    title,
    description: body.replaceAll(markers, '').trim(),
    ...{ status: category, category, ...(!folder.category && { statusName: field('status') }) },
    priority: priorityOfName(field('priority')),
    labels: labelsOf([...(folder.label ? [folder.label] : []), ...listField(fields, 'labels')]),
    assignee: listField(fields, 'assignee')[0]?.replace(/^@/, ''),
    dueDate: dueDateOf(field('due_date')),
    blockedBy: listField(fields, 'dependencies').map(idOf),
    parentId: parent || parentOfId(id),
    origin: known({
      author: field('reporter').replace(/^@/, ''),
      createdAt: timeOf(field('created_date')),
      updatedAt: timeOf(field('updated_date')),
      milestone: field('milestone'),
      assignees: listField(fields, 'assignee').slice(1),
    }),
    comments: [],
  }
}

const taskFolders: TaskFolder[] = [
  { name: 'tasks' },
  // Nobody is to work on a draft. Set to todo, it becomes a task.
  { name: 'drafts', category: 'cancelled', label: 'draft' },
  { name: 'completed', category: 'done' },
]
const archive: TaskFolder = { name: 'archive/tasks', category: 'cancelled' }

/**
 * Gives ids of the archive that were used again the names of their files. The links of archived tasks are to the
 * archived ones then, those of all others to the new ones.
 */
const renamed = (archived: readonly SourceTask[], usedIds: ReadonlySet<string>): SourceTask[] => {
  const used = new Set(usedIds)
  const newIds = new Map<string, string>()
  const taken = archived.map((task) => {
    const { id } = task
    if (!used.has(id)) {
      used.add(id)
      return task
    }
    const newId = `archive/${basename(task.place, '.md')}`
    newIds.set(id, newId)
    return { ...task, id: newId, aliases: [] }
  })
  const nowOf = (id: string): string => newIds.get(id) ?? id
  return taken.map(({ parentId, blockedBy, ...task }) => ({
    ...task,
    blockedBy: blockedBy.map(nowOf),
    parentId: parentId && nowOf(parentId),
  }))
}

/** A Backlog.md folder: tasks as Markdown files with front matter; its documents and decisions become notes. */
export const readBacklog = (folder: string): Source => {
  const source = emptySource('backlog')
  const tasksIn = (taskFolder: TaskFolder): SourceTask[] => {
    const path = join(folder, taskFolder.name)
    const tasks: SourceTask[] = []
    const files = isFolder(path) ? markdownFiles(path) : []
    for (const file of files.filter((each) => !/^readme\.md$/i.test(basename(each)))) {
      collect(source, file, () => tasks.push(taskOf(file, taskFolder)))
    }
    return tasks
  }
  source.tasks.push(...taskFolders.flatMap(tasksIn))
  source.tasks.push(...renamed(tasksIn(archive), new Set(source.tasks.map(({ id }) => id))))
  for (const name of ['docs', 'decisions']) {
    const path = join(folder, name)
    if (!isFolder(path)) continue
    source.notes.push(...readMarkdown(path).notes.map((note) => ({ ...note, key: `${name}/${note.key}` })))
  }
  return source
}
