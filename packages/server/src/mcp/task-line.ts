import type { Call } from '../operations/call.js'
import type { BriefTask } from '../work/tasks/brief.js'
import { createMaxAttempts } from '../work/tasks/queue/max-attempts.js'
import { isClosed } from '../work/tasks/queue/ready.js'
import { estimateCommonTokens, estimateTokens } from './budget.js'
import { excerpt, longestTitle, quoted, timeText, word } from './text.js'

/** What a line has room for. */
interface LineRoom {
  titleLength: number
  /** Of all labels together. */
  labelLength: number
  blockers: number
}

const wholeLine: LineRoom = { titleLength: longestTitle, labelLength: 120, blockers: 5 }

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

/** The labels of a line that it has room for. */
const labelParts = (labels: readonly string[], longest: number): Part[] => {
  const parts: Part[] = []
  let length = 0
  for (const label of labels) {
    length += label.length
    if (length > longest) break
    parts.push([`#${word(label)}`, estimateCommonTokens(label) + 2])
  }
  if (parts.length < labels.length) parts.push([`#+${labels.length - parts.length}`, 3])
  return parts
}

/** Whether a line shows all labels of a task. */
export const areAllShown = (labels: readonly string[]): boolean => labels.join('').length <= wholeLine.labelLength

const tokensOfId = 4

const blockersPart = (blockedBy: readonly string[], count: number): Part => {
  if (count === 0) return ['blocked', 1]
  const rest = blockedBy.length > count ? ` +${blockedBy.length - count}` : ''
  const named = blockedBy.slice(0, count)
  return [`blocked by ${named.join(' ')}${rest}`, 4 + named.length * tokensOfId]
}

/** For whom and when a line is written. */
interface Reader {
  keyId: string
  nowMs: number
}

const tokensOfClaim = 12

/** The token of a claim is its holder's: others are told who holds the task. */
const claimPart = ({ token, keyId, keyName, expiresAt }: NonNullable<BriefTask['claim']>, reader: Reader): Part => {
  const held = keyId === reader.keyId ? token : `by ${word(excerpt(keyName, 40))}`
  return [`claimed ${held} until ${timeText(expiresAt, reader.nowMs)}`, tokensOfClaim]
}

const partsOf = (task: BriefTask, room: LineRoom, reader: Reader, isExhausted: boolean): Part[] => {
  const { id, status, priority, title, labels, assignee, dueDate, openBlockers, blockedBy, children, claim } = task
  const { notBefore } = task
  const shownTitle = quoted(title, room.titleLength)
  const parts: Part[] = [
    [`${id} ${status} ${priority}`, tokensOfId + (status === 'todo' ? 2 : 3)],
    // Each quotation mark takes part of a token, and the end of the line one.
    [shownTitle, estimateCommonTokens(shownTitle.slice(1, -1)) + 2],
    ...labelParts(labels, room.labelLength),
  ]
  if (assignee) {
    const name = excerpt(assignee.name, room.titleLength)
    parts.push([`@${word(name)}`, estimateCommonTokens(name) + 2])
  }
  if (dueDate) parts.push([`due ${dueDate.slice(0, 10)}`, 8])
  if (openBlockers > 0) parts.push(blockersPart(blockedBy, room.blockers))
  if (children.open > 0) parts.push([`subtasks open ${children.open}`, 5])
  if (notBefore && Date.parse(notBefore) > reader.nowMs && !isClosed(status)) {
    parts.push([`not before ${timeText(notBefore, reader.nowMs)}`, 6])
  }
  if (isExhausted) parts.push(['attempts used up', 3])
  if (claim) parts.push(claimPart(claim, reader))
  return parts
}

/** Which of the tasks are handed out no more. */
const findExhausted = async (call: Call, tasks: readonly BriefTask[]): Promise<Set<string>> => {
  const maxAttempts = createMaxAttempts(call)
  const exhausted = new Set<string>()
  for (const { id, status, projectId, attempts, claim } of tasks) {
    const isOpen = attempts > 0 && claim === null && !isClosed(status)
    if (isOpen && attempts >= (await maxAttempts(projectId))) exhausted.add(id)
  }
  return exhausted
}

/** What a list takes: more than twenty tasks in proportion, and more for a task with a claim. */
const tokensOfLine = 22.5
const tokensOfClaimedLine = tokensOfLine + tokensOfClaim
const leastLines = 20

/** The tasks in a line each, with titles cut so that all of them and `footer` fit into what a list takes. */
export const taskLines = async (call: Call, tasks: readonly BriefTask[], footer = ''): Promise<string[]> => {
  const reader = { keyId: call.actor.keyId, nowMs: call.clock() }
  const exhausted = await findExhausted(call, tasks)
  const claimed = tasks.filter(({ claim }) => claim !== null).length
  const unclaimed = Math.max(tasks.length, leastLines) - claimed
  const budget = claimed * tokensOfClaimedLine + unclaimed * tokensOfLine - estimateTokens(footer)
  let lines: Part[][] = []
  for (const room of rooms) {
    lines = tasks.map((task) => partsOf(task, room, reader, exhausted.has(task.id)))
    if (lines.flat().reduce((sum, [, tokens]) => sum + tokens, 0) <= budget) break
  }
  return lines.map((parts) => parts.map(([text]) => text).join(' '))
}

/** One task in a line. */
export const taskLine = async (call: Call, task: BriefTask): Promise<string> => (await taskLines(call, [task]))[0]!
