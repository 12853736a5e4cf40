import { createTwoFilesPatch, OMIT_HEADERS } from 'diff'
import { beginningOf } from '../../base/text.js'
import { bookkeeping } from '../../changelog/versions/version.js'

export type FieldChange = { from: unknown; to: unknown } | { diff: string; truncated?: true }

type Fields = Readonly<Record<string, unknown>>

/** How differences are shown. */
export interface ShownChanges {
  /** Long texts too are shown whole, as they were and as they are. */
  isFull: boolean
  /** Whether long texts are compared line by line; else they are shown as replaced. */
  isCompared: boolean
}

/** Longer texts are shown as a diff. */
const maxShownLength = 200
const maxDiffLength = 65_536
/** Both texts together; those that are longer or have more lines are shown as replaced. */
const maxComparedLength = 1_048_576
const maxComparedLines = 20_000
/** Lines that differ, and the time for finding them; texts that differ in more are shown as replaced. */
const maxEditLength = 1_000
const maxCompareMs = 250

/** They change when a knowledge item is moved. */
const places = new Set(['key', 'projectId'])

/** What a field has that nobody has set yet, or that the record was stored without. */
const isUnset = (name: string, json: string): boolean =>
  json === 'null' || json === '[]' || json === '{}' || (name === 'trust' && json === '"unreviewed"')

const isSame = (name: string, from: unknown, to: unknown): boolean => {
  if (from === to) return true
  const [before, after] = [JSON.stringify(from), JSON.stringify(to)]
  return before === after || (isUnset(name, before) && isUnset(name, after))
}

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > maxShownLength
const isTextOrNone = (value: unknown): value is string | null => value === null || typeof value === 'string'

const countLines = (text: string): number => {
  let count = text === '' || text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** No more of a text than a diff shows. */
const marked = (sign: '-' | '+', text: string): string => {
  if (text === '') return ''
  const shown = text.length > maxDiffLength ? text.slice(0, maxDiffLength) : text
  const lines = shown.endsWith('\n') ? shown.slice(0, -1) : shown
  return `${sign}${lines.replaceAll('\n', `\n${sign}`)}\n`
}

const replaced = (from: string, to: string): string => {
  const [removed, added] = [countLines(from), countLines(to)]
  return `@@ -${removed ? 1 : 0},${removed} +${added ? 1 : 0},${added} @@\n${marked('-', from)}${marked('+', to)}`
}

const isComparable = (from: string, to: string): boolean =>
  from !== '' &&
  to !== '' &&
  from.length + to.length <= maxComparedLength &&
  countLines(from) + countLines(to) <= maxComparedLines

const compared = (from: string, to: string): string | undefined =>
  createTwoFilesPatch('', '', from, to, '', '', {
    context: 3,
    maxEditLength,
    timeout: maxCompareMs,
    headerOptions: OMIT_HEADERS,
  })

/** A unified diff without the names of files, which there are none of. */
const diffOf = (from: string, to: string, isCompared: boolean): FieldChange => {
  const diff = (isCompared && isComparable(from, to) ? compared(from, to) : undefined) ?? replaced(from, to)
  return diff.length <= maxDiffLength ? { diff } : { diff: beginningOf(diff, maxDiffLength), truncated: true }
}

/** The fields that differ between two states of a record, null where it is not there. */
export const changesBetween = (
  before: Fields | null,
  after: Fields | null,
  { isFull, isCompared }: ShownChanges,
): Record<string, FieldChange> => {
  const changes: Record<string, FieldChange> = {}
  for (const name of Object.keys({ ...before, ...after })) {
    if (bookkeeping.has(name) || (places.has(name) && !(before && after))) continue
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
    if (isSame(name, from, to)) continue
    const isDiff = !isFull && (isLong(from) || isLong(to)) && isTextOrNone(from) && isTextOrNone(to)
    changes[name] = isDiff ? diffOf(from ?? '', to ?? '', isCompared) : { from, to }
  }
  return changes
}
