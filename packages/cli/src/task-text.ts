import type { Comment, Task, TaskVersion } from 'worklore-client'
import type { Answer } from './command.js'
import { oneLine, printable, type Screen } from './terminal/screen.js'
import { type Cell, type Column, fieldLines } from './terminal/table.js'
import { localTime, relative } from './times.js'

type Style = Parameters<Screen['paint']>[0]

const statusStyles: Record<Task['status'], Style> = {
  todo: 'white',
  in_progress: 'yellow',
  in_review: 'magenta',
  done: 'green',
  cancelled: 'gray',
}

const priorityStyles: Record<Task['priority'], Style | undefined> = {
  urgent: ['red', 'bold'],
  high: 'red',
  medium: undefined,
  low: 'gray',
}

export const statusCell = (status: Task['status']): Cell => ({ text: status, style: statusStyles[status] })

const holderOf = ({ claim, assignee }: Task): string => {
  if (!claim) return assignee?.name ?? ''
  return `${claim.worker ?? claim.keyName} (${relative(claim.expiresAt)})`
}

export const taskColumns: readonly Column<Task>[] = [
  ['ID', 'id', 'cyan'],
  ['STATUS', ({ status }) => statusCell(status)],
  ['PRIORITY', ({ priority }) => ({ text: priority, style: priorityStyles[priority] })],
  ['WHO', holderOf],
  ['LABELS', 'labels'],
  ['TITLE', 'title'],
]

/** One task on one line. */
export const taskLine = (screen: Screen, { id, status, title }: Task): string =>
  `${screen.paint('cyan', id)}  ${screen.paint(statusStyles[status], status)}  ${oneLine(title)}`

/** A task that was changed, and what was done to it. */
export const changedTask = (task: Task, what: string): Answer => ({
  body: { data: task },
  ids: [task.id],
  text: (screen) =>
    screen.isTerminal ? `${what} ${taskLine(screen, task)}` : [task.id, task.status, oneLine(task.title)].join('\t'),
})

const fieldsOf = (task: Task, token: string): [name: string, value: string][] => {
  const { claim, blockedBy, openBlockers, children, createdBy } = task
  const all: [string, string][] = [
    ['status', task.status],
    ['priority', task.priority],
    ['assignee', task.assignee?.name ?? ''],
    ['labels', task.labels.join(', ')],
    ['due', task.dueDate ?? ''],
    ['not before', task.notBefore ? localTime(task.notBefore) : ''],
    ['parent', task.parentId ?? ''],
    ['blocked by', blockedBy.length > 0 ? `${blockedBy.join(', ')} (${openBlockers} open)` : ''],
    ['subtasks', children.total > 0 ? `${children.total} (${children.open} open)` : ''],
    ['claimed by', claim ? `${claim.worker ?? claim.keyName}, until ${localTime(claim.expiresAt)}` : ''],
    ['claim', token],
    ['claim note', claim?.note ?? ''],
    ['attempts', task.attempts > 0 ? String(task.attempts) : ''],
    ['external id', task.externalId ?? ''],
    ['metadata', Object.keys(task.metadata).length > 0 ? JSON.stringify(task.metadata) : ''],
    ['created', `${localTime(task.createdAt)} by ${createdBy.keyName}`],
    ['updated', `${localTime(task.updatedAt)} (version ${task.version})`],
  ]
  return all.filter(([, value]) => value !== '')
}

/** All of a task. */
const wholeTask = (screen: Screen, task: Task, comments: readonly Comment[], token: string): string => {
  const said = comments.map(
    ({ createdAt, createdBy, body }) =>
      `${screen.paint('dim', `${localTime(createdAt)} ${oneLine(createdBy.keyName)}`)}\n${printable(body)}`,
  )
  const parts = [
    `${screen.paint('cyan', task.id)} ${screen.paint('bold', oneLine(task.title))}`,
    fieldLines(screen, fieldsOf(task, token)),
    printable(task.description),
    ...said,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** What an old version of a task does not have. */
const noDerivedFields = {
  claim: null,
  openBlockers: 0,
  children: { total: 0, open: 0 },
  commentCount: 0,
  openQuestions: 0,
}

export const taskAnswer = (task: Task | TaskVersion, comments: readonly Comment[] = [], token = ''): Answer => ({
  body: { data: task },
  ids: [task.id],
  text: (screen) => wholeTask(screen, { ...noDerivedFields, ...task }, comments, token),
})

/** A task that this command claimed, with the token that other programs need to act under the claim. */
export const claimedAnswer = (task: Task): Answer => taskAnswer(task, [], task.claim!.token)
