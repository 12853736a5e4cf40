import type { IndexedRecord } from './word-index.js'

export interface TaskRow {
  id: string
  project_id: string
  status: string
  priority: number
  assignee_id: string | null
  due_at: number | null
  updated_at: number
  /** JSON without its closing brace. */
  doc: string
}

export interface KnowledgeRow {
  project_id: string
  key: string
  updated_at: number
  /** A JSON string literal. */
  content: string
}

// A longer line is a paragraph: weighing it twice would only weigh its text twice.
const MAX_HEADING_LENGTH = 300

/** A text's first line, the signs of a heading taken off, apart from what follows it. */
export const splitHeading = (text: string): { heading: string; rest: string } => {
  const body = text.trimStart()
  const end = body.indexOf('\n')
  const line = end === -1 ? body : body.slice(0, end)
  if (line.length > MAX_HEADING_LENGTH) return { heading: '', rest: body }
  return { heading: line.replace(/^#+\s+/, ''), rest: end === -1 ? '' : body.slice(end + 1) }
}

/** The key first, so that ties go by key and a prefix of the key is one of the ref; no key holds a NUL. */
export const knowledgeRef = (key: string, projectId: string): string => `${key}\0${projectId}`

export const keyOfRef = (ref: string): string => ref.slice(0, ref.indexOf('\0'))

export const facet = {
  status: (status: string) => `status:${status}`,
  priority: (priority: number) => `priority:${priority}`,
  assignee: (id: string | null) => `assignee:${id ?? 'none'}`,
  label: (label: string) => `label:${label}`,
}

export const taskText = (row: TaskRow): { title: string; description: string; labels: string[] } =>
  JSON.parse(`${row.doc}}`)

export const taskRecord = (row: TaskRow): IndexedRecord => {
  const { title, description, labels } = taskText(row)
  return {
    ref: row.id,
    scope: row.project_id,
    title,
    body: description,
    facets: [
      facet.status(row.status),
      facet.priority(row.priority),
      facet.assignee(row.assignee_id),
      ...labels.map(facet.label),
    ],
    dates: { due: row.due_at ?? Number.NaN, updated: row.updated_at },
  }
}

export const knowledgeRecord = (row: KnowledgeRow): IndexedRecord => {
  const { heading, rest } = splitHeading(JSON.parse(row.content) as string)
  return {
    ref: knowledgeRef(row.key, row.project_id),
    scope: row.project_id,
    title: `${row.key}\n${heading}`,
    body: rest,
  }
}
