import type { ReactNode } from 'react'
import type { Check } from 'worklore-client'
import { type Category, categoryNames, type Priority, priorityNames } from '../store/cards/task-card'

/** Longer values are cut in one-line summaries. */
const maxLength = 60

const cut = (text: string): string => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)

const valueText = (field: string, value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'none'
  if (field === 'status') return (categoryNames[value as Category] ?? String(value)).toLowerCase()
  if (field === 'priority') return (priorityNames[value as Priority] ?? String(value)).toLowerCase()
  if (Array.isArray(value)) return value.length === 0 ? 'none' : cut(value.join(', '))
  if (typeof value === 'object') {
    const { name, keyName, reason } = value as { name?: string; keyName?: string; reason?: string }
    return cut(name ?? keyName ?? reason ?? JSON.stringify(value))
  }
  return cut(String(value))
}

export const fieldName = (field: string): string =>
  field
    .replace(/Id$/, '')
    .replace(/([A-Z])/g, ' $1')
    .toLowerCase()

/** What became of each check that changed. */
const checksText = (from: Check[], to: Check[]): string => {
  const before = new Map(from.map((check) => [check.id, check]))
  const changed = to.flatMap(({ id, text, verifier, state }) => {
    const was = before.get(id)
    before.delete(id)
    if (!was) return [`“${cut(text)}” added`]
    if (was.text !== text || was.verifier !== verifier) return [`“${cut(text)}” edited`]
    return was.state === state ? [] : [`“${cut(text)}” ${state === 'open' ? 'reopened' : state}`]
  })
  return [...changed, ...[...before.values()].map(({ text }) => `“${cut(text)}” removed`)].join(', ')
}

const longFields = new Set(['description', 'result', 'content', 'body', 'metadata', 'answer'])
/** Longer texts are shown as a difference. */
const maxShownLength = 200

/** Whether a change is too long to be told in a line. */
export const isLongChange = (field: string, ...values: unknown[]): boolean =>
  longFields.has(field) || values.some((value) => typeof value === 'string' && value.length > maxShownLength)

/** `status to do → in progress` */
export const ChangeText = ({ field, from, to }: { field: string; from: unknown; to: unknown }): ReactNode => (
  <span className="change">
    <span className="muted">{fieldName(field)}</span>{' '}
    {field === 'checks' && Array.isArray(from) && Array.isArray(to) ? (
      checksText(from, to)
    ) : isLongChange(field, from, to) ? (
      'changed'
    ) : (
      <>
        <span className="change-from">{valueText(field, from)}</span> → <span>{valueText(field, to)}</span>
      </>
    )}
  </span>
)
