import { CommandError } from '../../exit-codes.js'
import { columnReader, parseCsv } from '../csv.js'
import { collect, emptySource, type Source, type SourceTask } from '../records.js'
import { categoryOfName, dueDateOf, known, labelsOf, priorityOfName, timeOf } from '../values.js'

/** What the exports call a column, by what we make of it: Linear's name first, then Plane's. */
const columns = {
  id: ['ID', 'Identifier'],
  title: ['Title', 'Name'],
  status: ['Status', 'State', 'State Name'],
  completed: ['Completed', 'Completed At'],
  cancelled: ['Canceled', 'Archived', 'Archived At'],
}

/** Kept as they are. */
const otherColumns = [
  'Team',
  'Project',
  'Estimate',
  'Start Date',
  'Cycle Name',
  'Module Name',
  'Project Milestone',
  'Initiatives',
  'Related to',
  'Duplicate of',
  'Link',
  'Relations',
]

/** A spreadsheet would take what begins with = + - @ for a formula; exports put a ' in front of it. */
const unguarded = (text: string): string => text.replace(/^'(?=[=+\-@])/, '')

const separated = (text: string): string[] =>
  text
    .replace(/^\[(.*)\]$/, '$1')
    .split(',')
    .map((part) => part.trim().replace(/^['"](.*)['"]$/, '$1'))
    .filter(Boolean)

const camelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase())

const taskOf = (place: string, cell: (...names: string[]) => string): SourceTask => {
  const id = cell(...columns.id)
  if (id === '') throw new Error('ID is empty')
  const title = unguarded(cell(...columns.title))
  if (title === '') throw new Error('title is empty')
  const [assignee, ...assignees] = separated(cell('Assignee', 'Assignees'))
  const status = cell(...columns.status)
  const completedAt = timeOf(cell(...columns.completed))
  const cancelledAt = timeOf(cell(...columns.cancelled))
  const category = completedAt ? 'done' : cancelledAt ? 'cancelled' : categoryOfName(status)
  return {
    place,
    id,
    title,
    description: unguarded(cell('Description')),
    ...{ status: category, category, statusName: status },
    priority: priorityOfName(cell('Priority')),
    labels: labelsOf(separated(cell('Labels'))),
    assignee,
    dueDate: dueDateOf(cell('Due Date', 'Target Date')),
    blockedBy: separated(cell('Blocked by')),
    parentId: cell('Parent issue', 'Parent') || undefined,
    origin: known({
      author: cell('Creator', 'Created By'),
      createdAt: timeOf(cell('Created', 'Created At')),
      updatedAt: timeOf(cell('Updated', 'Updated At')),
      completedAt,
      cancelledAt,
      status,
      assignees,
      ...Object.fromEntries(otherColumns.map((name) => [camelCase(name), cell(name)])),
    }),
    comments: [],
  }
}

/** The CSV export of Linear or Plane. */
export const readIssueCsv = (format: string, file: string, text: string): Source => {
  const source = emptySource(format)
  const [header = { cells: [] }, ...rows] = parseCsv(text)
  const width = header.cells.length
  const { has, read } = columnReader(header.cells)
  for (const names of [columns.id, columns.title, columns.status]) {
    if (!names.some(has)) throw new CommandError(`${file} is not a ${format} export: it has no column "${names[0]}".`)
  }
  for (const row of rows) {
    const place = `${file}:${row.line}`
    collect(source, place, () => {
      if (row.isUnclosed) throw new Error('has a quote that is not closed')
      if (row.cells.length > width) throw new Error(`has ${row.cells.length} cells, but the header has ${width}`)
      source.tasks.push(taskOf(place, (...names) => read(row, names)))
    })
  }
  return source
}

/** Which of the two an export is, by its header. */
export const formatOfCsv = (text: string): 'linear' | 'plane' =>
  columnReader(parseCsv(text.split(/\r?\n/, 1)[0]!)[0]?.cells ?? []).has('Name') ? 'plane' : 'linear'
