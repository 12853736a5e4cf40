interface CsvRow {
  /** The line that the row begins on. */
  line: number
  cells: string[]
  /** A cell began with a quote that nothing closes. */
  isUnclosed: boolean
}

/** The rows of a CSV text (RFC 4180): cells in quotes may have commas, line feeds and doubled quotes. */
export const parseCsv = (text: string): CsvRow[] => {
  const rows: CsvRow[] = []
  const quoted = /"((?:[^"]|"")*)("?)/y
  const plain = /[^,\r\n]*/y
  const match = (pattern: RegExp): RegExpExecArray => {
    pattern.lastIndex = at
    const found = pattern.exec(text)!
    at = pattern.lastIndex
    return found
  }
  let line = 1
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    const row: CsvRow = { line, cells: [], isUnclosed: false }
    for (;;) {
      let cell = ''
      if (text[at] === '"') {
        const [, inner, closing] = match(quoted)
        cell = inner!.replaceAll('""', '"')
        line += inner!.split('\n').length - 1
        row.isUnclosed ||= closing === ''
      }
      row.cells.push(cell + match(plain)[0])
      if (text[at] !== ',') break
      at++
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    line++
    if (row.cells.some((cell) => cell !== '')) rows.push(row)
  }
  return rows
}

/** Reads rows by the names of their columns, without regard to case. */
export const columnReader = (header: readonly string[]) => {
  const places = new Map(header.map((name, at) => [name.trim().toLowerCase(), at]))
  const placeOf = (name: string): number | undefined => places.get(name.toLowerCase())
  return {
    has: (name: string): boolean => placeOf(name) !== undefined,
    /** The cell under the first of the names that is there. */
    read: ({ cells }: CsvRow, names: string[]): string => {
      const name = names.find((each) => placeOf(each) !== undefined)
      return (name && cells[placeOf(name)!]?.trim()) || ''
    },
  }
}
