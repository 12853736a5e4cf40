import { Type } from 'typebox'
import { parseMoment } from '../../base/dates.js'
import { invalid } from '../../base/errors.js'
import type { Call } from '../../operations/call.js'
import { getKnowledge } from '../../work/knowledge/operations.js'
import { getTask as getTaskOperation } from '../../work/tasks/operations.js'
import { isTaskId } from '../../work/tasks/references.js'
import { taskExists } from '../../work/tasks/service.js'
import { countFitting, listBudget } from '../budget.js'
import { type Change, readChanges } from '../changes.js'
import { taskRef } from '../references.js'
import { counted, dayText, excerpt, quoted, word } from '../text/text.js'
import { tool } from '../tool.js'

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

const fieldsText = (changes: Change['changes']): string => {
  const fields = Object.entries(changes).map(([name, { from, to }]) =>
    longFields.has(name) ? name : `${name} ${valueText(from, to)} to ${valueText(to, from)}`,
  )
  return fields.length === 0 ? '' : `: ${fields.join(', ')}`
}

const changeLine = ({ type, at, keyName, via, record, version, changes }: Change): string => {
  const number = version === undefined ? '' : ` v${version}`
  return `${dayText(at)} ${type} ${word(record)}${number} by ${word(keyName)} via ${via}${fieldsText(changes)}`
}

const sinceMsOf = (since: string | undefined): number => {
  if (since === undefined) return 0
  const moment = parseMoment(since)
  if (!moment) throw invalid({ path: 'since', message: 'must be a date, or a timestamp with a time zone' })
  return moment.ms
}

/** A task in any case; where there is none with that id, the text is the key of a note. */
const recordNamed = async (call: Call, of: string): Promise<string> => {
  const id = taskRef(of)
  return id !== of && isTaskId(id) && (await taskExists(call, id)) ? id : of
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
    return [typeof of === 'string' && isTaskId(of) ? getTaskOperation : getKnowledge]
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
    const wanted = { of, project, sinceMs: sinceMsOf(since), cursor }
    // One more tells whether there are more.
    const { changes, rest } = await readChanges(call, { ...wanted, limit: limit + 1 })
    const lines = changes.map(({ change }) => changeLine(change))
    const count = Math.min(limit, countFitting(lines, listBudget))
    const next = count < changes.length ? changes[count - 1]!.next : rest
    const more = next === null ? '' : `, more: cursor ${next}`
    if (lines.length === 0) {
      const where = next === null ? 'in the log' : 'in this part of the log'
      return `No changes of ${word(excerpt(of))} ${where}${more}`
    }
    return [...lines.slice(0, count), `${counted(count, 'change')}${more}`].join('\n')
  },
})
