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
