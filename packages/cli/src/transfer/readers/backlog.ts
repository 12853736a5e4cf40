import { basename, join } from 'node:path'
import type { Task } from 'worklore-client'
import { readText } from '../../input.js'
import { isFolder, markdownFiles } from '../files.js'
import { type FrontMatter, listField, splitFrontMatter, textField } from '../front-matter.js'
import { collect, emptySource, type Source, type SourceTask } from '../records.js'
import { dueDateOf, known, labelsOf, parentOfId, priorityOfName, statusOfName, timeOf } from '../values.js'
import { readMarkdown } from './markdown.js'

const markers = /^<!-- (?:SECTION|AC|DOD):.*-->\r?\n?/gm

/** Ids are written as task-12 and as TASK-12. */
const idOf = (text: string): string => text.trim().toLowerCase()

const taskOf = (file: string, closedAs: Task['status'] | undefined): SourceTask => {
  const { fields, body } = splitFrontMatter(readText(file))
  if (!fields) throw new Error('has no front matter')
  const field = (name: string): string => textField(fields as FrontMatter, name)
  const id = idOf(field('id') || (/^([\w.-]+) - /.exec(basename(file))?.[1] ?? ''))
  if (id === '') throw new Error('has no id')
  const title = field('title')
  if (title === '') throw new Error('has no title')
  const parent = idOf(field('parent_task_id'))
  return {
    place: file,
    id,
    aliases: [id.toUpperCase()],
    title,
    description: body.replaceAll(markers, '').trim(),
    status: closedAs ?? statusOfName(field('status')),
    priority: priorityOfName(field('priority')),
    labels: labelsOf(listField(fields, 'labels')),
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

const taskFolders: [folder: string, closedAs?: Task['status']][] = [
  ['tasks'],
  ['drafts'],
  ['completed', 'done'],
  ['archive/tasks', 'cancelled'],
]

/** A Backlog.md folder: tasks as Markdown files with front matter; its documents and decisions become notes. */
export const readBacklog = (folder: string): Source => {
  const source = emptySource('backlog')
  for (const [name, closedAs] of taskFolders) {
    const path = join(folder, name)
    if (!isFolder(path)) continue
    const files = markdownFiles(path).filter((file) => !/^readme\.md$/i.test(basename(file)))
    for (const file of files) {
      collect(source, file, () => source.tasks.push(taskOf(file, closedAs)))
    }
  }
  for (const name of ['docs', 'decisions']) {
    const path = join(folder, name)
    if (!isFolder(path)) continue
    source.notes.push(...readMarkdown(path).notes.map((note) => ({ ...note, key: `${name}/${note.key}` })))
  }
  return source
}
