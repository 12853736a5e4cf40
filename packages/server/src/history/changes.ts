import { createTwoFilesPatch, OMIT_HEADERS } from 'diff'
import { beginningOf } from '../text.js'

export type FieldChange = { from: unknown; to: unknown } | { diff: string; truncated?: true }

type Fields = Readonly<Record<string, unknown>>

/** Longer texts are shown as a diff. */
const maxShownLength = 200
const maxDiffLength = 65_536
/** Lines that differ, and the time for finding them; texts that differ in more are shown as replaced. */
const maxEditLength = 1_000
const diffTimeoutMs = 50

/** What identifies a record, and what every change changes. */
const bookkeeping = new Set(['id', 'taskId', 'version', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'])
/** They change when a knowledge item is moved. */
const places = new Set(['key', 'projectId'])

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > maxShownLength
const isTextOrNone = (value: unknown): value is string | null => value === null || typeof value === 'string'

const marked = (sign: '-' | '+', text: string): string => {
  if (text === '') return ''
  const lines = text.endsWith('\n') ? text.slice(0, -1) : text
  return `${sign}${lines.replaceAll('\n', `\n${sign}`)}\n`
}

const replaced = (from: string, to: string): string => {
  const [removed, added] = [from, to].map((text) => marked('+', text).split('\n').length - 1)
  return `@@ -${removed ? 1 : 0},${removed} +${added ? 1 : 0},${added} @@\n${marked('-', from)}${marked('+', to)}`
}

/** A unified diff without the names of files, which there are none of. */
const diffOf = (from: string, to: string): FieldChange => {
  const options = { context: 3, maxEditLength, timeout: diffTimeoutMs, headerOptions: OMIT_HEADERS }
  const found = from === '' || to === '' ? undefined : createTwoFilesPatch('', '', from, to, '', '', options)
  const diff = found ?? replaced(from, to)
  return diff.length <= maxDiffLength ? { diff } : { diff: beginningOf(diff, maxDiffLength), truncated: true }
}

/** The fields that differ between two states of a record, null where it is not there. */
export const changesBetween = (
  before: Fields | null,
  after: Fields | null,
  isFull: boolean,
): Record<string, FieldChange> => {
  const changes: Record<string, FieldChange> = {}
  for (const name of Object.keys({ ...before, ...after })) {
    if (bookkeeping.has(name) || (places.has(name) && !(before && after))) continue
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
    if (JSON.stringify(from) === JSON.stringify(to)) continue
    const isDiff = !isFull && (isLong(from) || isLong(to)) && isTextOrNone(from) && isTextOrNone(to)
    changes[name] = isDiff ? diffOf(from ?? '', to ?? '') : { from, to }
  }
  return changes
}
