import { beginningOf } from '../../base/text.js'
import { estimateTokens } from '../../base/tokens.js'
import type { OperationCall } from '../../operations/operation.js'
import { createMaxAttempts } from '../../tenancy/projects/service.js'
import { isClosed } from '../../work/tasks/queue/ready.js'
import type { Task } from '../../work/tasks/schema.js'
import { titleEstimator } from '../budget.js'
import { maxTitleLength, timeText, word } from './text.js'

/** What a line has room for, in characters of common words. */
interface LineRoom {
  titleLength: number
  /** Of all labels together. */
  labelLength: number
  blockers: number
}

const wholeLine: LineRoom = { titleLength: maxTitleLength, labelLength: 120, blockers: 5 }

/** From whole lines to the shortest that still say what a task is: a title says more than labels do. */
const rooms: readonly LineRoom[] = [
  wholeLine,
  { titleLength: 100, labelLength: 48, blockers: 3 },
  { titleLength: 84, labelLength: 40, blockers: 2 },
  { titleLength: 72, labelLength: 32, blockers: 1 },
  { titleLength: 62, labelLength: 24, blockers: 1 },
  { titleLength: 54, labelLength: 16, blockers: 1 },
  { titleLength: 47, labelLength: 16, blockers: 1 },
  { titleLength: 41, labelLength: 16, blockers: 1 },
  { titleLength: 36, labelLength: 16, blockers: 1 },
  { titleLength: 32, labelLength: 12, blockers: 1 },
  { titleLength: 28, labelLength: 12, blockers: 0 },
  { titleLength: 28, labelLength: 5, blockers: 0 },
  { titleLength: 24, labelLength: 5, blockers: 0 },
  { titleLength: 20, labelLength: 5, blockers: 0 },
]

/** A part of a line, and about how many tokens it takes. */
type Part = readonly [text: string, tokens: number]

/** Common words have more characters for each token; ids, addresses and most scripts have fewer. */
const charactersPerToken = 4

/** What a text takes between quotation marks, with what must be escaped there. */
const tokensOfQuoted = (text: string, estimate = titleEstimator(text)): number =>
  estimate(JSON.stringify(text).slice(1, -1))

/** A text cut to what so many characters of common words take; to the characters alone where a line is whole. */
const cut = (text: string, length: number): Part => {
  const estimate = titleEstimator(beginningOf(text, maxTitleLength))
  const maxTokens = length === maxTitleLength ? Number.POSITIVE_INFINITY : length / charactersPerToken
  const beginning = (count: number): Part => {
    const shown = count >= text.length ? text : `${beginningOf(text, count)}…`
    return [shown, tokensOfQuoted(shown, estimate)]
  }
  const longest = beginning(text.length > length ? length - 1 : text.length)
  if (longest[1] <= maxTokens) return longest
  let [least, most] = [1, Math.min(text.length, length) - 1]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (beginning(middle)[1] <= maxTokens) least = middle
    else most = middle - 1
  }
  return beginning(least)
}

/** The labels of a line that it has room for. */
const labelParts = (labels: readonly string[], longest: number): Part[] => {
  const parts: Part[] = []
  let length = 0
  for (const label of labels) {
    const tokens = tokensOfQuoted(label)
    length += longest === wholeLine.labelLength ? label.length : Math.max(label.length, tokens * charactersPerToken)
    if (length > longest) break
    parts.push([`#${word(label)}`, tokens + 2])
  }
  if (parts.length < labels.length) parts.push([`#+${labels.length - parts.length}`, 3])
  return parts
}

/** Whether a line shows all labels of a task. */
export const areAllShown = (labels: readonly string[]): boolean => labels.join('').length <= wholeLine.labelLength

/** Few keys of projects take as many tokens as other words in capitals. */
const tokensOfId = (id: string): number => Math.max(4, estimateTokens(id) - 1)

const blockersPart = (blockedBy: readonly string[], count: number): Part => {
  if (count === 0) return ['blocked', 1]
  const rest = blockedBy.length > count ? ` +${blockedBy.length - count}` : ''
  const named = blockedBy.slice(0, count)
  return [`blocked by ${named.join(' ')}${rest}`, named.reduce((sum, id) => sum + tokensOfId(id), 4)]
}

/** For whom and when a line is written. */
interface Reader {
  keyId: string
  nowMs: number
}

const tokensOfClaim = 12
const maxHolderLength = 40

/** The token of a claim is its holder's: others are told who holds the task. */
const claimPart = ({ token, keyId, keyName, expiresAt }: NonNullable<Task['claim']>, reader: Reader): Part => {
  const until = `until ${timeText(expiresAt, reader.nowMs)}`
  if (keyId === reader.keyId) return [`claimed ${token} ${until}`, tokensOfClaim]
  const [name, tokens] = cut(keyName, maxHolderLength)
  return [`claimed by ${word(name)} ${until}`, Math.max(tokensOfClaim, tokens + 8)]
}

const checksPart = (checks: Task['checks']): Part[] => {
  const countOf = (wanted: string): number => checks.filter(({ state }) => state === wanted).length
  const counts = [`open ${countOf('open')}`, `failed ${countOf('failed')}`].filter((count) => !count.endsWith(' 0'))
  return counts.length === 0 ? [] : [[`checks ${counts.join(' ')}`, 2 + 3 * counts.length]]
}

/** A status of the project says its category too. */
const statusPart = (status: string, category: string): Part => {
  if (status === category) return [status, status === 'todo' ? 2 : 3]
  const text = `${status} (${category})`
  return [text, estimateTokens(text) + 1]
}

const partsOf = (task: Task, room: LineRoom, reader: Reader, isExhausted: boolean): Part[] => {
  const {
    id,
    status,
    statusCategory,
    priority,
    title,
    labels,
    assignee,
    dueDate,
    openBlockers,
    blockedBy,
    children,
    claim,
  } = task
  const { notBefore, openQuestions } = task
  const [shownStatus, statusTokens] = statusPart(status, statusCategory)
  const [shownTitle, titleTokens] = cut(title, room.titleLength)
  const parts: Part[] = [
    [`${id} ${shownStatus} ${priority}`, tokensOfId(id) + statusTokens],
    // Each quotation mark takes part of a token, and the end of the line one.
    [JSON.stringify(shownTitle), titleTokens + 2],
    ...labelParts(labels, room.labelLength),
  ]
  if (assignee) {
    const [name, tokens] = cut(assignee.name, room.titleLength)
    parts.push([`@${word(name)}`, tokens + 2])
  }
  if (dueDate) parts.push([`due ${dueDate.slice(0, 10)}`, 8])
  if (openBlockers > 0) parts.push(blockersPart(blockedBy, room.blockers))
  if (children.open > 0) parts.push([`subtasks open ${children.open}`, 5])
  if (!isClosed(statusCategory)) parts.push(...checksPart(task.checks))
  if (openQuestions > 0) parts.push([`questions open ${openQuestions}`, 4])
  if (notBefore && Date.parse(notBefore) > reader.nowMs && !isClosed(statusCategory)) {
    parts.push([`not before ${timeText(notBefore, reader.nowMs)}`, 6])
  }
  if (isExhausted) parts.push(['attempts used up', 3])
  if (claim) parts.push(claimPart(claim, reader))
  return parts
}

/** Which of the tasks are handed out no more. */
const findExhausted = async (call: OperationCall, tasks: readonly Task[]): Promise<Set<string>> => {
  const maxAttempts = createMaxAttempts(call)
  const exhausted = new Set<string>()
  for (const { id, statusCategory, projectId, attempts, claim } of tasks) {
    const isOpen = attempts > 0 && claim === null && !isClosed(statusCategory)
    if (isOpen && attempts >= (await maxAttempts(projectId))) exhausted.add(id)
  }
  return exhausted
}

/** What a list takes: more than twenty tasks in proportion, and more for a task with a claim. */
const tokensOfLine = 22.5
const tokensOfClaimedLine = tokensOfLine + tokensOfClaim
const leastLines = 20

/** The tasks in a line each, with titles cut so that all of them and `footer` fit into what a list takes. */
export const taskLines = async (call: OperationCall, tasks: readonly Task[], footer = ''): Promise<string[]> => {
  const reader = { keyId: call.actor.keyId, nowMs: call.clock() }
  const exhausted = await findExhausted(call, tasks)
  const claimed = tasks.filter(({ claim }) => claim !== null).length
  const unclaimed = Math.max(tasks.length, leastLines) - claimed
  const budget = claimed * tokensOfClaimedLine + unclaimed * tokensOfLine - estimateTokens(footer)
  const linesIn = (at: number): Part[][] =>
    tasks.map((task) => partsOf(task, rooms[at]!, reader, exhausted.has(task.id)))
  const fits = (lines: Part[][]): boolean => lines.flat().reduce((sum, [, tokens]) => sum + tokens, 0) <= budget
  let lines = linesIn(0)
  if (!fits(lines)) {
    let [least, most] = [1, rooms.length - 1]
    while (least < most) {
      const middle = (least + most) >> 1
      if (fits(linesIn(middle))) most = middle
      else least = middle + 1
    }
    lines = linesIn(least)
  }
  return lines.map((parts) => parts.map(([text]) => text).join(' '))
}

/** One task in a line. */
export const taskLine = async (call: OperationCall, task: Task): Promise<string> => (await taskLines(call, [task]))[0]!
