import { Type } from 'typebox'
import { AppError } from '../../base/errors.js'
import { decodeCursor, encodeCursor, listFingerprint } from '../../base/paging.js'
import type { OperationCall } from '../../operations/operation.js'
import { listEvents } from '../../subscribers/events/operations.js'
import type { Event as AnyEvent } from '../../subscribers/events/schema.js'
import { getKnowledge } from '../../work/knowledge/operations.js'
import { getTask } from '../../work/tasks/operations.js'
import { isTaskId } from '../../work/tasks/references.js'
import { countFitting, listBudget } from '../budget.js'
import { taskRef } from '../references.js'
import { run } from '../run.js'
import { counted, dayText, excerpt, quoted, word } from '../text/text.js'
import { tool } from '../tool.js'

type Event = Omit<AnyEvent, 'data' | 'previous'> & {
  readonly data: Readonly<Record<string, unknown>>
  readonly previous: Readonly<Record<string, unknown>> | null
}

const maxValueLength = 60

/** An item of a list. A state comes first, as a long text is cut. */
const itemText = (item: unknown): string => {
  if (typeof item !== 'object' || item === null) return String(item)
  const { id, text, state } = item as Record<string, unknown>
  return state === undefined ? JSON.stringify(item) : `${id} ${state}: ${text}`
}

/** A list; of objects those that the other list does not have. */
const listText = (items: readonly unknown[], other: unknown): string => {
  if (!items.some((item) => typeof item === 'object')) return items.join(' ')
  const others = new Set(Array.isArray(other) ? other.map((item) => JSON.stringify(item)) : [])
  const changed = items.filter((item) => !others.has(JSON.stringify(item)))
  return [...changed.map(itemText), ...(changed.length < items.length ? ['…'] : [])].join('; ')
}

const valueText = (value: unknown, other: unknown): string => {
  if (value === null || value === undefined) return 'none'
  if (Array.isArray(value)) return quoted(listText(value, other), maxValueLength)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxValueLength ? quoted(text, maxValueLength) : word(text)
}

/** Fields whose values say less than that they changed. */
const longFields = new Set(['content', 'description', 'body', 'claim', 'metadata'])

const fieldsText = ({ data, previous }: Event): string => {
  const fields = Object.entries(previous ?? {})
    .filter(([name]) => name !== 'truncated')
    .map(([name, from]) =>
      longFields.has(name) ? name : `${name} ${valueText(from, data[name])} to ${valueText(data[name], from)}`,
    )
  return fields.length === 0 ? '' : `: ${fields.join(', ')}`
}

const eventLine = (event: Event): string => {
  const { type, timestamp, actor, via, data } = event
  const record = String(data.key ?? data.taskId ?? data.id ?? '')
  const number = data.version === undefined ? '' : ` v${data.version}`
  return `${dayText(timestamp)} ${type} ${word(record)}${number} by ${word(actor.keyName)} via ${via}${fieldsText(event)}`
}

/** Normalizes the case of a task ID. If there is no such task, returns the name unchanged, as the key of a note. */
const recordNamed = async (call: OperationCall, name: string): Promise<string> => {
  const taskId = taskRef(name)
  if (taskId === name || !isTaskId(taskId)) return name
  try {
    await run(call, getTask, { taskId })
    return taskId
  } catch (error) {
    if (error instanceof AppError) return name
    throw error
  }
}

/** Returns the event filter for a record or, if `of` is `me`, for the changes made with the caller's key. */
const filterFor = (of: string, keyId: string) => {
  if (of === 'me') return { actor: keyId }
  return { subject: of, types: isTaskId(of) ? ['task.*', 'comment.*', 'question.*'] : ['knowledge.*'] }
}

export const getHistory = tool({
  name: 'get_history',
  title: 'Get history',
  description: 'Recent changes, newest first: who changed which fields when',
  annotations: { readOnlyHint: true },
  scopes: ['tasks:read', 'knowledge:read'],
  operations: ({ of }) => {
    if (of === 'me') return []
    // What may be either is shown as far as the key may read it.
    if (typeof of === 'string' && !isTaskId(of) && isTaskId(taskRef(of))) return []
    return [typeof of === 'string' && isTaskId(of) ? getTask : getKnowledge]
  },
  input: Type.Object({
    of: Type.String({ minLength: 1, description: 'a task id, a note key, or me' }),
    since: Type.Optional(Type.String({ description: 'date or time' })),
    project: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  }),
  run: async (call, { of: named, since, project, limit = 20, cursor }) => {
    const of = await recordNamed(call, named)
    const fingerprint = listFingerprint([call.actor.tenantId, 'changes', of, project, since])
    const cursorAt = (before: number): string => encodeCursor(fingerprint, [before])
    const before = cursor === undefined ? undefined : decodeCursor<[number]>(cursor, fingerprint, ['integer'])[0]
    const { data: events, pagination } = await run(call, listEvents, {
      ...{ order: 'desc', limit, ...filterFor(of, call.actor.keyId) },
      ...(project !== undefined && { projectId: project }),
      ...(since !== undefined && { since }),
      ...(before !== undefined && { before }),
    })
    const lines = (events as Event[]).map(eventLine)
    const count = countFitting(lines, listBudget)
    const nextBefore = count < events.length ? events[count - 1]!.sequence : (pagination.nextBefore ?? null)
    const next = nextBefore === null ? null : cursorAt(nextBefore)
    const more = next === null ? '' : `, more: cursor ${next}`
    if (lines.length === 0) {
      const where = next === null ? 'in the log' : 'in this part of the log'
      return `No changes of ${word(excerpt(of))} ${where}${more}`
    }
    return [...lines.slice(0, count), `${counted(count, 'change')}${more}`].join('\n')
  },
})
