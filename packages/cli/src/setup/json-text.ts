import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'

const options = { allowTrailingComma: true }

/** JSON as editors read their settings: with comments, and commas at the end of lists. */
export const parseJson = (text: string): unknown => {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const value = parse(text, errors, options)
  const [first] = errors
  if (!first) return value
  const line = text.slice(0, first.offset).split('\n').length
  throw new Error(`${printParseErrorCode(first.error)} in line ${line}`)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Text between values, with spaces in place of comments. */
const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, (each) => ' '.repeat(each.length))

/** The white space that a line begins with. */
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))![0]

/** Adds a property at the end of an object, in lines of its own where the object has more than one. */
const insertion = (text: string, object: Node, name: string, value: unknown): Edit[] => {
  const last = object.children?.at(-1)
  const close = object.offset + object.length - 1
  const from = last ? last.offset + last.length : object.offset + 1
  const between = text.slice(from, close)
  const endsWithComma = withoutComments(between).includes(',')
  const comma = last && !endsWithComma ? [{ offset: from, length: 0, content: ',' }] : []
  const at = close - /\s*$/.exec(between)![0].length
  if (last && !text.slice(object.offset, close).includes('\n')) {
    return [...comma, { offset: at, length: 0, content: ` ${JSON.stringify(name)}: ${JSON.stringify(value)}` }]
  }
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const unit = /^[ \t]+(?=\S)/m.exec(text)?.[0] ?? '  '
  const outer = indentAt(text, object.offset)
  const indent = last ? indentAt(text, last.offset) : outer + unit
  const lines = `${JSON.stringify(name)}: ${JSON.stringify(value, null, unit)}`.split('\n')
  const content = lines.map((line) => eol + indent + line).join('') + (endsWithComma ? ',' : '')
  return [...comma, { offset: at, length: last ? 0 : close - at, content: last ? content : content + eol + outer }]
}

/** Takes a property out, with the comma after it, or else the one before it. */
const removal = (text: string, property: Node): Edit[] => {
  const all = property.parent!.children!
  const previous = all[all.indexOf(property) - 1]
  const previousEnd = previous ? previous.offset + previous.length : property.parent!.offset + 1
  const end = property.offset + property.length
  const commaAfter = /^\s*,/.exec(withoutComments(text.slice(end)))?.[0].length ?? 0
  const before = text.slice(previousEnd, property.offset)
  const after = text.slice(end + commaAfter)
  const spaceAfter = all.length === 1 && before.trim() === '' ? /^\s*/.exec(after)![0].length : 0
  // A line comment above must not swallow what comes after.
  const isSpaceKept = /\/\/.*\s*$/.test(before) && !/^[ \t]*\r?\n/.test(after)
  const start = property.offset - (isSpaceKept ? 0 : /\s*$/.exec(before)![0].length)
  const commaBefore = commaAfter > 0 ? -1 : withoutComments(before).indexOf(',')
  return [
    ...(commaBefore < 0 ? [] : [{ offset: previousEnd + commaBefore, length: 1, content: '' }]),
    { offset: start, length: end + commaAfter + spaceAfter - start, content: '' },
  ]
}

const setValue = (text: string, path: JSONPath, value: unknown): string => {
  const root = parseTree(text, [], options)!
  const node = findNodeAtLocation(root, path)
  if (node && value !== undefined) {
    return applyEdits(text, [{ offset: node.offset, length: node.length, content: JSON.stringify(value) }])
  }
  if (value === undefined) return node ? applyEdits(text, removal(text, node.parent!)) : text
  const parent = findNodeAtLocation(root, path.slice(0, -1))
  const name = path.at(-1) as string
  return parent
    ? applyEdits(text, insertion(text, parent, name, value))
    : setValue(text, path.slice(0, -1), { [name]: value })
}

/** Changes the values that differ, and leaves every other character as it is. */
export const editJson = (text: string, path: JSONPath, before: unknown, after: unknown): string => {
  if (text.trim() === '') return `${setValue('{}', path, after)}\n`
  if (!isObject(before) || !isObject(after)) return before === after ? text : setValue(text, path, after)
  let next = text
  for (const name of Object.keys({ ...before, ...after })) {
    next = editJson(next, [...path, name], before[name as never], after[name as never])
  }
  return next
}
