import { createStateCache } from '../../base/state-cache.js'
import type { Value } from '../port.js'

type Row = Readonly<Record<string, unknown>>

const textBytesOf = (row: Row): number => {
  let bytes = 0
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length
  return bytes
}

/**
 * Rows that are looked up again while the group that alone changes them commits nothing: SQLite takes 30 µs for one of
 * them among the requests of a service, three times as long as in a loop of its own.
 */
export const createRememberedRows = (commitsOf: (group: string) => string) => {
  const rows = createStateCache<Row>({ maxBytes: 8_388_608, maxValueBytes: 65_536, bytesOf: textBytesOf })
  /** Of the statements, which are few. */
  const statements = new Map<string, number>()

  const numberOf = (text: string): number => {
    const known = statements.get(text)
    if (known !== undefined) return known
    statements.set(text, statements.size)
    return statements.size - 1
  }

  return <R>(text: string, params: readonly Value[], group: string, read: () => R | undefined): R | undefined => {
    const state = commitsOf(group)
    const name = `${numberOf(text)} ${params.join('\0')}`
    const known = rows.get(name, state)
    if (known) return known.value as R
    const row = read()
    // Most rows are read once before the next commit.
    if (row && rows.isRepeated(`${state} ${name}`)) rows.keep(name, { state, value: Object.freeze(row) as Row })
    return row
  }
}
