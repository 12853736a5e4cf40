export type FrontMatter = Record<string, string | string[]>

const block = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/

const scalar = (text: string): string => {
  const value = text.trim()
  if (value.startsWith('"')) {
    try {
      return String(JSON.parse(value))
    } catch {
      return value.slice(1, value.endsWith('"') ? -1 : undefined)
    }
  }
  if (value === '~' || value === 'null') return ''
  return value.startsWith("'") && value.endsWith("'") && value.length > 1
    ? value.slice(1, -1).replaceAll("''", "'")
    : value
}

const listed = (text: string): string[] =>
  [...text.slice(1, -1).matchAll(/\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)/g)]
    .map(([, item]) => scalar(item!))
    .filter((each) => each !== '')

const parseValue = (text: string): string | string[] =>
  text.startsWith('[') && text.endsWith(']') ? listed(text) : scalar(text)

/** Simple YAML: names with a value or a list, in brackets or as lines with dashes. */
const parse = (text: string): FrontMatter => {
  const fields: FrontMatter = {}
  let name: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const item = /^\s*-\s+(.*)$/.exec(line)
    if (item && name !== undefined) {
      const items = fields[name]
      fields[name] = [...(Array.isArray(items) ? items : []), scalar(item[1]!)]
      continue
    }
    const field = /^([\w-]+):\s*(.*)$/.exec(line)
    if (!field) {
      // A folded or continued value.
      const before = name === undefined ? undefined : fields[name]
      if (name !== undefined && typeof before === 'string' && /^\s+\S/.test(line)) {
        fields[name] = parseValue(`${/^[>|]-?$/.test(before) ? '' : `${before} `}${line.trim()}`)
      }
      continue
    }
    name = field[1]!
    fields[name] = parseValue(field[2]!.trim())
  }
  return fields
}

/** The fields at the start of a Markdown text, and the text after them. */
export const splitFrontMatter = (text: string): { fields: FrontMatter | undefined; body: string } => {
  const found = block.exec(text)
  return found
    ? { fields: parse(found[1] ?? ''), body: text.slice(found[0].length) }
    : { fields: undefined, body: text }
}

export const textField = (fields: FrontMatter, name: string): string => {
  const value = fields[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

export const listField = (fields: FrontMatter, name: string): string[] => {
  const value = fields[name]
  if (value === undefined || value === '') return []
  return Array.isArray(value) ? value : [value]
}

/** The line of a field: JSON is YAML, and comes back as it was. */
const lineOf = (name: string, value: string | readonly string[]): string =>
  `${name}: ${JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}`

/** Fields to set; undefined removes one. Several names are spellings of one field, the first of them the usual one. */
export type FieldEdit = readonly [names: readonly string[], value: string | readonly string[] | undefined]

/** A plain name with a value, in YAML. Quoted names, flow mappings and the like begin with other characters. */
const plainField = /^[^\s"'{}[\],?&*!|>%@`#:-][^:]*:(\s|$)/

const isContinuation = (line: string): boolean => /^\s+\S|^-(\s|$)/.test(line)

/** Whether the lines of a block can be changed one by one. */
const isPlainBlock = (lines: readonly string[]): boolean => {
  const content = lines.filter((line) => !/^\s*(#|$)/.test(line))
  return (
    (content.length === 0 || plainField.test(content[0]!)) &&
    content.every((line) => plainField.test(line) || isContinuation(line))
  )
}

const anchor = /(^|[\s[,{])&[^\s,[\]{}]/

/** A text with other fields in its front matter. All other lines stay as they are. Undefined where that is not safe. */
export const editFrontMatter = (text: string, edits: readonly FieldEdit[]): string | undefined => {
  const found = block.exec(text)
  const lines = found?.[1] === undefined ? [] : found[1].split(/\r?\n/)
  if (!isPlainBlock(lines)) return undefined
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n'
  const kept: string[] = []
  const waiting = new Map(edits.map((edit) => [edit, edit[1]]))
  let isDropped = false
  for (const line of lines) {
    const name = /^([\w-]+)\s*:/.exec(line)?.[1]
    if (name === undefined) {
      // A name that is no field of a note ends the value before it.
      if (plainField.test(line)) isDropped = false
      if (!isDropped || !isContinuation(line)) kept.push(line)
      else if (anchor.test(line)) return undefined
      continue
    }
    const edit = edits.find(([names]) => names.includes(name))
    isDropped = edit !== undefined
    if (edit && anchor.test(line)) return undefined
    if (!edit) kept.push(line)
    else if (waiting.get(edit) !== undefined) kept.push(lineOf(name, edit[1]!))
    if (edit) waiting.delete(edit)
  }
  for (const [[names], value] of waiting) if (value !== undefined) kept.push(lineOf(names[0]!, value))
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const body = text.slice(found ? found[0].length : mark.length)
  return mark + (kept.length === 0 ? '' : ['---', ...kept, '---', ''].join(lineEnd)) + body
}
