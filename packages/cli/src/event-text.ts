import { type ChangeEvent, subjectOf } from 'worklore-client'
import { oneLine, type Screen } from './terminal/screen.js'
import { fit } from './terminal/width.js'

const maxValue = 40

const shown = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(shown).join(',')
  if (typeof value !== 'object') return oneLine(String(value))
  const { name, token, keyName, id, state, reason } = value as Record<string, unknown>
  if (state !== undefined) return oneLine(`${id} ${state}`)
  return oneLine(String(name ?? keyName ?? token ?? reason ?? JSON.stringify(value)))
}

/** What tells nothing, or is told by another field. */
const quietFields = ['version', 'updatedAt', 'updatedBy', 'claim', 'attempts']
const longFields = ['description', 'result', 'content', 'body']

/** A field, what it was and what it is; neither where the texts are too long to be shown. */
export type FieldChange = readonly [name: string, from?: unknown, to?: unknown]

/** What changed, field by field. */
export const changesText = (changes: readonly FieldChange[]): string =>
  changes
    .filter(([name]) => !quietFields.includes(name))
    .flatMap(([name, ...values]) => {
      const [from, to] = values.map(shown)
      if (values.length === 0 || longFields.includes(name)) return oneLine(name)
      return from === to ? [] : `${oneLine(name)} ${fit(from!, maxValue)} → ${fit(to!, maxValue)}`
    })
    .join(', ')

const summaryOf = ({ data, previous }: ChangeEvent): string => {
  const record: Record<string, unknown> = { ...data }
  const changes = changesText(Object.entries(previous ?? {}).map(([name, from]) => [name, from, record[name]]))
  return changes || oneLine(String(record.title ?? record.name ?? record.body ?? record.url ?? ''))
}

/** One event on one line, aligned on a terminal and tab-separated elsewhere. */
export const eventLine = (screen: Screen, event: ChangeEvent): string => {
  const { sequence, timestamp, type, actor, via } = event
  const subject = oneLine(subjectOf(event))
  const who = oneLine(`${actor.keyName} (${via})`)
  const summary = summaryOf(event)
  if (!screen.isTerminal) return [sequence, timestamp, type, subject, who, summary].join('\t')
  const head = `${screen.paint('dim', new Date(timestamp).toTimeString().slice(0, 8))} ${screen.paint('yellow', type.padEnd(18))} ${screen.paint('cyan', subject)}`
  return [head, summary, screen.paint('dim', who)].filter(Boolean).join('  ')
}
