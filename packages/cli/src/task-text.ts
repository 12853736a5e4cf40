import type { Check, Comment, Context, Question, Task, TaskVersion } from 'worklore-client'
import type { Answer } from './command.js'
import { surroundingsText } from './context-text.js'
import { oneLine, printable, type Screen } from './terminal/screen.js'
import { type Cell, type Column, fieldLines } from './terminal/table.js'
import { localTime, relative } from './times.js'

type Style = Parameters<Screen['paint']>[0]

const statusStyles: Record<Task['statusCategory'], Style> = {
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

export const statusCell = ({ status, statusCategory }: Pick<Task, 'status' | 'statusCategory'>): Cell => ({
  text: status,
  style: statusStyles[statusCategory],
})

const holderOf = ({ claim, assignee }: Task): string => {
  if (!claim) return assignee?.name ?? ''
  return `${claim.worker ?? claim.keyName} (${relative(claim.expiresAt)})`
}

export const taskColumns: readonly Column<Task>[] = [
  ['ID', 'id', 'cyan'],
  ['STATUS', statusCell],
  ['PRIORITY', ({ priority }) => ({ text: priority, style: priorityStyles[priority] })],
  ['WHO', holderOf],
  ['LABELS', 'labels'],
  ['TITLE', 'title'],
]

/** One task on one line. */
export const taskLine = (screen: Screen, { id, status, statusCategory, title }: Task): string =>
  `${screen.paint('cyan', id)}  ${screen.paint(statusStyles[statusCategory], status)}  ${oneLine(title)}`

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
    ['status', task.status === task.statusCategory ? task.status : `${task.status} (${task.statusCategory})`],
    ['priority', task.priority],
    ['assignee', task.assignee?.name ?? ''],
    ['labels', task.labels.join(', ')],
    ['due', task.dueDate ?? ''],
    ['not before', task.notBefore ? localTime(task.notBefore) : ''],
    ['parent', task.parentId ?? ''],
    ['blocked by', blockedBy.length > 0 ? `${blockedBy.join(', ')} (${openBlockers} open)` : ''],
    ['subtasks', children.total > 0 ? `${children.total} (${children.open} open)` : ''],
    ['resources', task.resources.join(', ')],
    ['claimed by', claim ? `${claim.worker ?? claim.keyName}, until ${localTime(claim.expiresAt)}` : ''],
    ['claim', token],
    ['claim note', claim?.note ?? ''],
    ['attempts', task.attempts > 0 ? String(task.attempts) : ''],
    ['stale', task.stale.map(({ key, why }) => `${key} (${why})`).join(', ')],
    ['external id', task.externalId ?? ''],
    ['metadata', Object.keys(task.metadata).length > 0 ? JSON.stringify(task.metadata) : ''],
    ['created', `${localTime(task.createdAt)} by ${createdBy.keyName}`],
    ['updated', `${localTime(task.updatedAt)} (version ${task.version})`],
  ]
  return all.filter(([, value]) => value !== '')
}

const checkStyles: Record<Check['state'], Style> = { open: 'yellow', passed: 'green', failed: 'red', waived: 'gray' }

const verifierTexts: Record<Check['verifier'], string> = {
  anyone: '',
  other: ' (for others)',
  human: ' (for a person)',
}

const checkLines = (screen: Screen, { id, text, verifier, state, evidence, by, at }: Check): string => {
  const decided = by && at ? screen.paint('dim', `  ${oneLine(by.keyName)}, ${localTime(at)}`) : ''
  const line = `${id} ${screen.paint(checkStyles[state], state)}${verifierTexts[verifier]}  ${oneLine(text)}${decided}`
  return evidence === null ? line : `${line}\n${printable(evidence).replaceAll(/^/gm, '   ')}`
}

const questionLines = (screen: Screen, question: Question): string => {
  const { id, body, options, state, answer, createdAt, createdBy } = question
  const asked = screen.paint('dim', `${localTime(createdAt)} ${oneLine(createdBy.keyName)}`)
  const lines = [`${screen.paint('cyan', id)} ${state} ${asked}`, printable(body)]
  if (state === 'open') lines.push(...(options ?? []).map((option, at) => `  ${at + 1} ${oneLine(option)}`))
  if (answer) {
    const said = [answer.option, answer.body].filter((part) => part !== null).join('\n')
    lines.push(screen.paint('dim', `${localTime(answer.at)} ${oneLine(answer.by.keyName)}`), printable(said))
  }
  return lines.join('\n')
}

/** What belongs to a task and is read apart from it. */
interface Conversation {
  comments: readonly Comment[]
  questions: readonly Question[]
}

/** All of a task. */
const wholeTask = (screen: Screen, task: Task, { comments, questions }: Conversation, token: string): string => {
  const said = comments.map(
    ({ createdAt, createdBy, body }) =>
      `${screen.paint('dim', `${localTime(createdAt)} ${oneLine(createdBy.keyName)}`)}\n${printable(body)}`,
  )
  const parts = [
    `${screen.paint('cyan', task.id)} ${screen.paint('bold', oneLine(task.title))}`,
    fieldLines(screen, fieldsOf(task, token)),
    printable(task.description),
    task.result === null ? '' : `${screen.paint('dim', 'result')}\n${printable(task.result)}`,
    task.checks.map((check) => checkLines(screen, check)).join('\n'),
    ...questions.map((question) => questionLines(screen, question)),
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
  stale: [],
  rank: 0,
}

const silence: Conversation = { comments: [], questions: [] }

export const taskAnswer = (task: Task | TaskVersion, conversation = silence, token = ''): Answer => ({
  body: { data: task },
  ids: [task.id],
  text: (screen) => wholeTask(screen, { ...noDerivedFields, ...task }, conversation, token),
})

/** A task that this command claimed, with the token that other programs need to act under the claim. */
export const claimedAnswer = (task: Task, context: Context | null): Answer => {
  const answer = taskAnswer(task, silence, task.claim!.token)
  if (!context) return answer
  const text = (screen: Screen): string =>
    [answer.text(screen), surroundingsText(screen, context)].join('\n\n').trimEnd()
  return { ...answer, body: { data: task, context }, text }
}
