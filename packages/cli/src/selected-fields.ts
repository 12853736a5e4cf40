import { usageError } from './exit-codes.js'

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** Returns undefined if the value has no such field. An array takes a position, or a name that its elements have. */
const valueAt = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
  if (name === undefined) return value
  if (Array.isArray(value) && !/^\d+$/.test(name)) {
    const found = value.map((each) => valueAt(each, [name, ...rest]))
    return value.length > 0 && found.every((each) => each === undefined) ? undefined : found
  }
  return isObject(value) && Object.hasOwn(value, name) ? valueAt(value[name], rest) : undefined
}

const cellOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/**
 * Returns what `--field` prints: a line for each record, with a tab between several fields. A path leads from the record,
 * or, with a dot in front, from the whole response.
 */
export const selectFields = (body: unknown, paths: readonly string[]): string => {
  const data = isObject(body) && 'data' in body ? body.data : body
  const isWhole = paths.some((path) => path.startsWith('.'))
  const records = isWhole ? [body] : Array.isArray(data) ? data : [data]
  const rows = records.map((record) =>
    paths.map((path) =>
      valueAt(
        path.startsWith('.') ? body : record,
        path.split('.').filter((name) => name !== ''),
      ),
    ),
  )
  const unknown = paths.find((_, at) => rows.length > 0 && rows.every((row) => row[at] === undefined))
  if (unknown !== undefined) {
    const names = isObject(records[0]) ? ` Use one of ${Object.keys(records[0]).join(', ')}.` : ''
    throw usageError(`--field ${unknown}: there is no such field.${names}`)
  }
  const lines = rows.flatMap((row) =>
    row.length === 1 && Array.isArray(row[0]) ? row[0].map(cellOf) : [row.map(cellOf).join('\t')],
  )
  return lines.join('\n')
}
