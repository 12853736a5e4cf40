import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { tomlLines } from 'worklore-client/setup'

/** The parser's objects have no prototype; the copy's do, and can be compared with others. */
export const parseToml = (text: string): unknown => structuredClone(parse(text))

const headerPattern = /^\s*\[(?!\[)\s*([^\]]+?)\s*\]/
const anyHeader = /^\s*\[/

/** The name of the table that a line begins, without quotes and spaces. */
const tableOf = (line: string): string | undefined => headerPattern.exec(line)?.[1]?.replaceAll(/["'\s]/g, '')

/** From a header to the last line before the next one, without the blank lines and comments that lead to that. */
const endOfTable = (lines: readonly string[], start: number): number => {
  let end = start + 1
  while (end < lines.length && !anyHeader.test(lines[end]!)) end++
  while (end > start + 1 && /^\s*(#|$)/.test(lines[end - 1]!)) end--
  return end
}

/** Takes out the tables that are not to stay, each as far as it goes. */
const withoutTables = (lines: readonly string[], isToGo: (table: string) => boolean): string[] => {
  const kept: string[] = []
  for (let at = 0; at < lines.length; ) {
    const table = tableOf(lines[at]!)
    if (table === undefined || !isToGo(table)) kept.push(lines[at++]!)
    else {
      at = endOfTable(lines, at)
      // One blank line between what is above and below is enough.
      if (kept.at(-1)?.trim() === '' && (at >= lines.length || lines[at]!.trim() === '')) kept.pop()
    }
  }
  return kept
}

type Fields = Record<string, unknown>

/** The field that a line sets, as a whole or in part. */
const fieldOf = (line: string): string | undefined => /^\s*["']?([\w-]+)["']?\s*[=.]/.exec(line)?.[1]

/**
 * Writes the fields of a table that differ, and leaves every other line as it is; without fields, takes the table out.
 * Whoever calls it parses the result, because what is written in another form, such as an inline table, is not found here.
 */
export const editToml = (text: string, path: readonly string[], before: unknown, after: unknown): string => {
  const name = path.join('.')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  const joined = (all: readonly string[]): string => (all.length === 0 ? '' : all.join(eol) + eol)
  const isWithin = (table: string, outer: string): boolean => `${table}.`.startsWith(`${outer}.`)
  if (after === undefined) return joined(withoutTables(lines, (table) => isWithin(table, name)))

  const [old, wanted] = [before ?? {}, after] as [Fields, Fields]
  const names = Object.keys({ ...old, ...wanted })
  const changed = new Set(names.filter((field) => !isDeepStrictEqual(old[field], wanted[field])))
  const written = tomlLines(Object.fromEntries(Object.entries(wanted).filter(([field]) => changed.has(field))))
  const rest = withoutTables(lines, (table) => [...changed].some((field) => isWithin(table, `${name}.${field}`)))
  const start = rest.findIndex((line) => tableOf(line) === name)
  if (start < 0) {
    const isSpaced = rest.length === 0 || rest.at(-1)!.trim() === ''
    return joined([...rest, ...(isSpaced ? [] : ['']), `[${name}]`, ...written])
  }
  const end = endOfTable(rest, start)
  const kept = rest.slice(start + 1, end).filter((line) => !changed.has(fieldOf(line) ?? ''))
  return joined([...rest.slice(0, start + 1), ...written, ...kept, ...rest.slice(end)])
}
