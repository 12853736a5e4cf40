import { isDeepStrictEqual } from 'node:util'
import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, parseDocument } from 'yaml'

/** Values are scalars as written but without quotes, lists of such scalars, or maps. */
export type FrontMatter = Record<string, unknown>

const block = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/

/** Returns undefined if the text is not a valid YAML map. Accepts `@name` without quotes. */
const documentOf = (text: string): Document.Parsed | undefined => {
  const document = parseDocument(text, { logLevel: 'silent' })
  const isValid = document.errors.every(({ code }) => code === 'BAD_SCALAR_START')
  return isValid && (document.contents === null || isMap(document.contents)) ? document : undefined
}

type ParsedPair = Pair<ParsedNode, ParsedNode | null>

const pairsOf = ({ contents }: Document.Parsed): ParsedPair[] =>
  isMap(contents) ? contents.items.filter(({ key }) => isScalar(key)) : []

const nameOf = ({ key }: ParsedPair): string => String(isScalar(key) ? key.value : '')

/** Returns the value of a node. Numbers and dates are returned as the text that was written. */
const fieldValue = (node: unknown, document: Document.Parsed): unknown => {
  if (isAlias(node)) return fieldValue(node.resolve(document), document)
  if (isScalar(node)) return typeof node.value === 'string' ? node.value : node.value === null ? '' : `${node.source}`
  if (isSeq(node)) return node.items.map((item) => fieldValue(item, document)).filter((item) => item !== '')
  return isMap(node) ? node.toJS(document) : ''
}

const fieldsIn = (document: Document.Parsed): FrontMatter =>
  Object.fromEntries(pairsOf(document).map((pair) => [nameOf(pair), fieldValue(pair.value, document)]))

/** Quotes plain values that contain a colon, such as `title: Sizes: an overview`. People write them, but YAML forbids them. */
const quoted = (text: string): string =>
  text.replaceAll(
    /^([\w-]+): +([^\s"'[\]{}|>&*!#%@`-][^\r\n]*: [^\r\n]*)/gm,
    (_, name: string, value: string) => `${name}: ${JSON.stringify(value.trimEnd())}`,
  )

/** Returns the fields in the front matter of a Markdown text, and the text after it. Invalid front matter has no fields. */
export const splitFrontMatter = (text: string): { fields: FrontMatter | undefined; body: string } => {
  const found = block.exec(text)
  if (!found) return { fields: undefined, body: text }
  const inner = found[1] ?? ''
  const document = documentOf(inner) ?? documentOf(quoted(inner))
  return { fields: document ? fieldsIn(document) : {}, body: text.slice(found[0].length) }
}

export const listField = (fields: FrontMatter, name: string): string[] => {
  const value = fields[name]
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string' && each !== '')
}

export const textField = (fields: FrontMatter, name: string): string => listField(fields, name)[0] ?? ''

/** Returns JSON, because JSON is valid YAML and is read back unchanged. */
const yamlOf = (value: string | readonly string[]): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

/** A field to set, or to remove if the value is undefined. `names` are its accepted spellings, the preferred one first. */
export type FieldEdit = readonly [names: readonly string[], value: string | readonly string[] | undefined]

interface TextEdit {
  from: number
  to: number
  content: string
}

/** Returns the edit that replaces the value of a field but keeps the comment after it, or that removes the field. */
const editOf = (text: string, { key, value }: ParsedPair, wanted: FieldEdit[1], eol: string): TextEdit => {
  const [keyStart, keyEnd] = key.range
  const [valueStart, valueEnd] = value?.range ?? [keyEnd, keyEnd]
  const isOneLine = value !== null && !text.slice(keyStart, valueEnd).includes('\n')
  if (wanted !== undefined && isOneLine) {
    const space = /\s/.test(text[valueStart - 1]!) ? '' : ' '
    return { from: valueStart, to: valueEnd, content: space + yamlOf(wanted) }
  }
  const lineEnd = text[valueEnd - 1] === '\n' ? valueEnd - 1 : text.indexOf('\n', valueEnd)
  const to = lineEnd < 0 ? text.length : lineEnd + 1
  const from = text.lastIndexOf('\n', keyStart - 1) + 1
  return { from, to, content: wanted === undefined ? '' : `${text.slice(keyStart, keyEnd)}: ${yamlOf(wanted)}${eol}` }
}

/** Returns the fields not in `named`, or undefined if one of them refers to a missing anchor. */
const othersIn = (document: Document.Parsed, named: ReadonlySet<string>): unknown => {
  try {
    return Object.entries(document.toJS() ?? {}).filter(([name]) => !named.has(name))
  } catch {
    return undefined
  }
}

/**
 * Returns the text with the edited front matter and everything else unchanged byte for byte. Returns undefined if that is
 * not possible, such as for `{title: x}` or if another field refers to an anchor in an edited one.
 */
export const editFrontMatter = (text: string, edits: readonly FieldEdit[]): string | undefined => {
  const found = block.exec(text)
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const inner = found?.[1] === undefined ? '' : found[1] + eol
  const document = documentOf(inner)
  if (!document || (isMap(document.contents) && document.contents.flow)) return undefined
  const waiting = new Map(edits.map((edit) => [edit, edit[1]]))
  const changes: TextEdit[] = []
  for (const pair of pairsOf(document)) {
    const edit = edits.find(([names]) => names.includes(nameOf(pair)))
    if (!edit) continue
    changes.push(editOf(inner, pair, waiting.get(edit), eol))
    waiting.delete(edit)
  }
  let next = inner
  for (const { from, to, content } of changes.reverse()) next = next.slice(0, from) + content + next.slice(to)
  for (const [[names], value] of waiting) if (value !== undefined) next += `${names[0]}: ${yamlOf(value)}${eol}`
  const named = new Set(edits.flatMap(([names]) => names))
  const changed = documentOf(next)
  const others = othersIn(document, named)
  if (!changed || others === undefined || !isDeepStrictEqual(othersIn(changed, named), others)) return undefined
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const body = text.slice(found ? found[0].length : mark.length)
  return mark + (next.trim() === '' ? '' : `---${eol}${next}---${eol}`) + body
}
