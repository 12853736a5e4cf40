import { AppError } from '../../base/errors.js'
import { estimateTokens, safeShare } from '../../base/tokens.js'
import { holdsScope } from '../../operations/actor.js'
import type { OperationCall } from '../../operations/operation.js'
import { getKnowledge } from '../../work/knowledge/operations.js'
import type { KnowledgeItem } from '../../work/knowledge/schema.js'
import { listTasks } from '../../work/tasks/operations.js'
import type { Task } from '../../work/tasks/schema.js'
import { countFitting, partOf, readBudget } from '../budget.js'
import { projectKey } from '../projects.js'
import { run } from '../run.js'
import { checksText, wholeCheck } from './checks.js'
import { commentsText } from './comments.js'
import { questionsText, wholeQuestion } from './questions.js'
import { areAllShown, taskLine, taskLines } from './task-line.js'
import { asData, dayText, maxTitleLength, quoted, word } from './text.js'

/** What the labels of one task, or its resources, take at most where all of them are shown. */
const listBudget = 800

const shortened = (texts: readonly string[]): string => {
  const words = texts.map(word)
  const count = countFitting(words, listBudget)
  return words.slice(0, count).join(' ') + (count < words.length ? ` +${words.length - count}` : '')
}

const detailsOf = (task: Task): string => {
  const { title, labels, version, createdAt, createdBy, updatedAt, attempts, assignee, parentId, claim } = task
  const { notBefore, externalId, resources } = task
  const parts = [`version ${version}`, `created ${dayText(createdAt)} by ${word(createdBy.keyName)}`]
  if (title.length > maxTitleLength) parts.push(`whole title ${JSON.stringify(title)}`)
  if (!areAllShown(labels)) parts.push(`all labels ${shortened(labels)}`)
  if (updatedAt !== createdAt) parts.push(`updated ${dayText(updatedAt)}`)
  if (assignee) parts.push(`assignee ${assignee.id}`)
  if (parentId) parts.push(`parent ${parentId}`)
  if (notBefore) parts.push(`not before ${dayText(notBefore)}`)
  if (externalId) parts.push(`external id ${word(externalId)}`)
  if (resources.length > 0) parts.push(`resources ${shortened(resources)}`)
  if (attempts > 0) parts.push(`attempts ${attempts}`)
  if (claim) parts.push(`claim held by ${word(claim.keyName)}`)
  if (claim?.note) parts.push(`note ${quoted(claim.note, 300)}`)
  return parts.join(', ')
}

const relatedTasks = 20

/** The lines of tasks that fit. */
const linesOfRelated = async (call: OperationCall, filter: object, budget: number): Promise<string[]> => {
  const { data } = await run(call, listTasks, { ...filter, limit: relatedTasks, sort: 'createdAt' })
  const lines = await taskLines(call, data)
  return lines.slice(0, countFitting(lines, budget))
}

const blockersOf = async (call: OperationCall, { id, blockedBy }: Task, budget: number): Promise<string[]> => {
  if (blockedBy.length === 0) return []
  const lines = await linesOfRelated(call, { blocks: id }, budget)
  const named = new Set(lines.map((line) => line.split(' ', 1)[0]))
  const others = blockedBy.filter((blocker) => !named.has(blocker))
  return ['blocked by:', ...lines, ...(others.length > 0 ? [`and by ${others.join(' ')}`] : [])]
}

const subtasksOf = async (
  call: OperationCall,
  { id, children: { total } }: Task,
  budget: number,
): Promise<string[]> => {
  if (total === 0) return []
  const lines = await linesOfRelated(call, { parentId: id }, budget)
  return [
    'subtasks:',
    ...lines,
    ...(lines.length < total ? [`${lines.length} of ${total}, all: list_tasks parent ${id}`] : []),
  ]
}

/** A long text of a task from a line on; `place` is how to ask for it. */
const longText = (name: string, whole: string, place: string, fromLine: number, budget: number): string[] => {
  const { text, lines, next } = partOf(whole, fromLine, budget)
  const heading = [name]
  if (lines !== undefined) heading.push(lines)
  if (next !== undefined) heading.push(`more: get_task ${place}from_line ${next}`)
  return [`${heading.join(', ')}:`, asData(text)]
}

const descriptionText = ({ description }: Task, fromLine: number, budget: number): string[] =>
  longText('description', description, '', fromLine, budget)

/** The cursor that names the result. */
const resultCursor = 'result'

const resultText = ({ result }: Task, fromLine: number, budget: number): string[] =>
  result === null ? [] : longText('result', result, `cursor ${resultCursor} `, fromLine, budget)

/** What looks like the key of a note: words with slashes between them, or one in brackets. */
const keyForm =
  /\[\[([^\][\n]{1,200})\]\]|(?<![\w/:.])([\p{L}\p{N}][\p{L}\p{N}_.-]*(?:\/[\p{L}\p{N}][\p{L}\p{N}_.-]*)+)/gu
const maxNamedKeys = 8

const keysNamedIn = (text: string): string[] => {
  const keys = new Set<string>()
  for (const [, bracketed, plain] of text.matchAll(keyForm)) {
    keys.add((bracketed ?? plain!).replace(/[.-]+$/, ''))
    if (keys.size === maxNamedKeys) break
  }
  return [...keys]
}

const noteNamed = async (call: OperationCall, key: string, projectId: string): Promise<KnowledgeItem | undefined> => {
  for (const place of [projectId, undefined]) {
    try {
      return (await run(call, getKnowledge, { key, ...(place !== undefined && { projectId: place }) })).data
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }
  return undefined
}

/** The notes whose keys a text names: whole while they fit, otherwise where to read them. */
const notesNamedIn = async (
  call: OperationCall,
  text: string,
  { projectId }: Task,
  budget: number,
): Promise<string[]> => {
  if (!holdsScope(call.actor, 'knowledge:read')) return []
  const lines: string[] = []
  let left = budget
  for (const key of keysNamedIn(text)) {
    const note = await noteNamed(call, key, projectId)
    if (!note) continue
    const heading = `${word(key)} v${note.version}`
    left -= estimateTokens(heading)
    if (left < 0) break
    const tokens = note.content.length > 4 * left * 4 ? left + 1 : estimateTokens(note.content)
    const fits = tokens <= left
    const place = note.projectId === null ? '' : ` project ${await projectKey(call, projectId)}`
    lines.push(fits ? `${heading}\n${asData(note.content)}` : `${heading}, long: read_knowledge ${word(key)}${place}`)
    if (fits) left -= tokens
  }
  return lines.length === 0 ? [] : ['notes named here:', ...lines]
}

/** A task with all that work on it needs to know, and for what does not fit how to get it. */
export const describeTask = async (call: OperationCall, task: Task): Promise<string> => {
  const parts = [await taskLine(call, task), detailsOf(task)]
  const left = () => Math.max(0, readBudget * safeShare - estimateTokens(parts.join('\n')))
  const room = left()
  if (task.description !== '') parts.push(...descriptionText(task, 1, room * 0.35))
  parts.push(...resultText(task, 1, room / 6), ...checksText(task, room / 6))
  parts.push(...(await questionsText(call, task.id, room / 6)))
  parts.push(...(await blockersOf(call, task, room / 8)), ...(await subtasksOf(call, task, room / 8)))
  const comments = await commentsText(call, task, left())
  parts.push(...comments)
  const named = [task.title, task.description, ...comments].join('\n')
  parts.push(...(await notesNamedIn(call, named, task, left())))
  return parts.join('\n')
}

/** What an answer with the task had no room for: the part that the cursor names, or its description from a line on. */
export const describeRest = async (
  call: OperationCall,
  task: Task,
  { cursor, fromLine }: { cursor: string | undefined; fromLine: number | undefined },
): Promise<string> => {
  const budget = readBudget * safeShare
  const restAt = async (cursor: string): Promise<string[]> => {
    if (cursor === resultCursor) return resultText(task, fromLine ?? 1, budget)
    const whole = wholeCheck(task, cursor) ?? (await wholeQuestion(call, task.id, cursor))
    return whole ?? commentsText(call, task, budget, { cursor, fromLine })
  }
  const rest = cursor === undefined ? descriptionText(task, fromLine ?? 1, budget) : await restAt(cursor)
  return [await taskLine(call, task), ...rest].join('\n')
}
