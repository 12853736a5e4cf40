import { applyEdits, format, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser'

/** JSON as editors read their settings: with comments, and commas at the end of lists. */
export const parseJson = (text: string): unknown => {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const value = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (!first) return value
  const line = text.slice(0, first.offset).split('\n').length
  throw new Error(`${printParseErrorCode(first.error)} in line ${line}`)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const setValue = (text: string, path: JSONPath, value: unknown): string => {
  const edits = modify(text, path, value, {})
  const next = applyEdits(text, edits)
  const { offset = 0, content = '' } = edits[0] ?? {}
  if (content === '') return next
  const indent = /^[ \t]+(?=\S)/m.exec(text)?.[0] ?? '  '
  const insertSpaces = !indent.startsWith('\t')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const formatting = { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol }
  // Formats the new text up to the brackets around it. Given these options, `modify` also formats the rest of its lines.
  return applyEdits(next, format(next, { offset: offset - 1, length: content.length + 2 }, formatting))
}

/** Changes only the values that differ between `before` and `after`, and keeps comments. */
export const editJson = (text: string, path: JSONPath, before: unknown, after: unknown): string => {
  if (text.trim() === '') return `${setValue('{}', path, after)}\n`
  if (!isObject(before) || !isObject(after)) return before === after ? text : setValue(text, path, after)
  let next = text
  for (const name of Object.keys({ ...before, ...after })) {
    next = editJson(next, [...path, name], before[name as never], after[name as never])
  }
  return next
}
