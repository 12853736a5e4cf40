import { decodeCursor, encodeCursor, listFingerprint } from '../../base/paging.js'
import { estimateTokens } from '../../base/tokens.js'
import type { Call } from '../../operations/call.js'
import type { Comment } from '../../work/tasks/comments/schema.js'
import { newestComments } from '../../work/tasks/comments/service.js'
import type { Task } from '../../work/tasks/schema.js'
import { partOf, readBudget } from '../budget.js'
import { asData, dayText, parsed, word } from './text.js'

/** As many as are read for an answer. */
const maxComments = 50

/** What one comment takes of an answer at most, unless it was asked for. */
const commentBudget = readBudget / 5

interface Place {
  readonly cursor: string
  /** The line of the comment there to begin with. */
  readonly fromLine?: number | undefined
}

const fingerprintOf = (call: Call, taskId: string): number =>
  listFingerprint([call.actor.tenantId, 'comments to read', taskId])

const cursorAt = (call: Call, { taskId, createdAt, id }: Comment): string =>
  encodeCursor(fingerprintOf(call, taskId), [Date.parse(createdAt), id])

const commentText = (call: Call, comment: Comment, fromLine: number, budget: number): string => {
  const { id, body, createdAt, createdBy } = comment
  const { text, lines, next } = partOf(body, fromLine, budget)
  const heading = [`${dayText(createdAt)} ${word(createdBy.keyName)} ${id}`]
  if (lines !== undefined) heading.push(lines)
  if (next !== undefined) heading.push(`more: get_task cursor ${cursorAt(call, comment)} from_line ${next}`)
  return `${heading.join(', ')}\n${asData(text)}`
}

/**
 * The comments of a task that fit into a budget, from the newest or from a place on to older ones, in the order in
 * which they were written.
 */
export const commentsText = async (
  call: Call,
  { id, commentCount }: Pick<Task, 'id' | 'commentCount'>,
  budget: number,
  place?: Place,
): Promise<string[]> => {
  if (commentCount === 0 && !place) return []
  const position = place && decodeCursor<[number, string]>(place.cursor, fingerprintOf(call, id), ['integer', 'text'])
  const from = position && { createdAtMs: position[0], id: position[1] }
  const found = (await newestComments(call, id, from, maxComments + 1)).map(parsed)
  const shown: string[] = []
  let left = budget
  for (const comment of found.slice(0, maxComments)) {
    const isFirst = shown.length === 0
    const fromLine = (isFirst && place?.fromLine) || 1
    const text = commentText(call, comment, fromLine, isFirst && place ? budget : Math.min(budget, commentBudget))
    left -= estimateTokens(text)
    if (left < 0 && !isFirst) break
    shown.push(text)
  }
  const older = found[shown.length]
  const parts = [
    place
      ? 'comments'
      : shown.length < commentCount
        ? `comments, the newest ${shown.length} of ${commentCount}`
        : 'comments',
  ]
  if (older) parts.push(`older: get_task cursor ${cursorAt(call, older)}`)
  return [`${parts.join(', ')}:`, ...shown.reverse()]
}
