import { usageError } from './exit-codes.js'

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/**
 * Returns the value at a path, or undefined if there is none. In an array, a path element is either an index or a field
 * name, which selects that field of every element.
 */
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
 * Returns what `--field` prints: one line per record, with tabs between fields. A path starts at the record, or at the
 * whole response if it begins with a dot.
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
