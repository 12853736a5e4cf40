import type { Answer } from '../command.js'
import { oneLine, type Screen } from './screen.js'
import { fit, padded, widthOf } from './width.js'

type Style = Parameters<Screen['paint']>[0]

export interface Cell {
  text: string
  style?: Style | undefined
}

/** A column: its name, the field or what is made of the record, and a style. */
export type Column<T> = readonly [
  name: string,
  cell: (keyof T & string) | ((record: T) => string | Cell),
  style?: Style,
]

const gap = '  '
/** However narrow the terminal is, this much of the last column stays. */
const minLastColumn = 20

const cellOf = <T>(record: T, [, cell, style]: Column<T>): Cell => {
  const made = typeof cell === 'function' ? cell(record) : String(record[cell] ?? '')
  return typeof made === 'string' ? { text: oneLine(made), style } : { ...made, text: oneLine(made.text) }
}

/** Aligned columns with a header on a terminal, the last one cut to fit; tab-separated lines elsewhere. */
export const table = <T>(screen: Screen, columns: readonly Column<T>[], records: readonly T[]): string => {
  const rows = records.map((record) => columns.map((column) => cellOf(record, column)))
  if (!screen.isTerminal) return rows.map((row) => row.map(({ text }) => text).join('\t')).join('\n')
  if (rows.length === 0) return ''
  const last = columns.length - 1
  const widths = columns.map(([name], at) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[at]!.text)), widthOf(name)),
  )
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + gap.length, 0)
  const room = Math.max(minLastColumn, screen.columns - before)
  const line = (cells: readonly Cell[]): string =>
    cells
      .map(({ text, style }, at) => {
        const shown = at === last ? fit(text, room) : padded(text, widths[at]!)
        return style === undefined ? shown : screen.paint(style, shown)
      })
      .join(gap)
      .trimEnd()
  return [line(columns.map(([text]) => ({ text, style: 'dim' as const }))), ...rows.map(line)].join('\n')
}

/** A list of records as an answer. */
export const listAnswer = <T>(
  body: { data: readonly T[] },
  id: keyof T & string,
  columns: readonly Column<T>[],
): Answer => ({
  body,
  ids: body.data.map((record) => String(record[id])),
  text: (screen) => table(screen, columns, body.data),
})

/** Names with their values, one on each line. */
export const fieldLines = (screen: Screen, fields: readonly (readonly [name: string, value: string])[]): string => {
  const width = Math.max(...fields.map(([name]) => name.length))
  return fields
    .map(([name, value]) =>
      screen.isTerminal
        ? `${screen.paint('dim', name.padEnd(width))}  ${oneLine(value)}`
        : `${name}\t${oneLine(value)}`,
    )
    .join('\n')
}
