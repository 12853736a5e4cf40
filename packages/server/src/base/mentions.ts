/** Also within quotes and list items. */
const fence = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})(.*)/
const listItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s/
const indented = /^(?: {4}| {0,3}\t)/

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

/** Blanks out code blocks, fenced or indented. */
const withoutCodeBlocks = (markdown: string): string => {
  let closing: RegExp | undefined
  /** Indented lines below a list item belong to it. */
  let isInList = false
  let isAfterBlank = true
  const isCode = (line: string): boolean => {
    if (closing) {
      if (closing.test(line)) closing = undefined
      return true
    }
    const [, marks, info] = fence.exec(line) ?? []
    // Behind backticks, another one makes it a code span.
    if (marks && !(marks.startsWith('`') && info!.includes('`'))) {
      closing = new RegExp(`^[\\s>]*${marks[0]}{${marks.length},}\\s*$`)
      return true
    }
    if (line.trim() === '') {
      isAfterBlank = true
      return false
    }
    if (indented.test(line) && isAfterBlank && !isInList) return true
    isAfterBlank = false
    if (listItem.test(line)) isInList = true
    else if (!/^\s/.test(line)) isInList = false
    return false
  }
  return markdown
    .split('\n')
    .map((line) => (isCode(line) ? blank(line) : line))
    .join('\n')
}

/** Blanks out code spans: what is between two runs of equally many backticks, within a paragraph. */
const withoutCodeSpans = (text: string): string => {
  const marks = [...text.matchAll(/`+|\n[ \t\r]*\n/g)]
  const closingOf: (number | undefined)[] = []
  const lastOfLength = new Map<number, number>()
  for (let at = marks.length - 1; at >= 0; at--) {
    const [mark] = marks[at]!
    if (mark.startsWith('\n')) lastOfLength.clear()
    else {
      closingOf[at] = lastOfLength.get(mark.length)
      lastOfLength.set(mark.length, at)
    }
  }
  let kept = ''
  let from = 0
  for (let at = 0; at < marks.length; at++) {
    const closing = closingOf[at]
    if (closing === undefined) continue
    const { 0: mark, index } = marks[closing]!
    const end = index + mark.length
    kept += text.slice(from, marks[at]!.index) + blank(text.slice(marks[at]!.index, end))
    from = end
    at = closing
  }
  return kept + text.slice(from)
}

/** A letter or digit, but of the scripts that put no space between words. */
const wordCharacter = String.raw`(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}]`

/** Not within an e-mail address, a URL or a word; a backslash keeps it from being one. */
const mention = new RegExp(
  String.raw`(?<!(?:${wordCharacter}|[.+\-/@\\=&#%])_*)@([a-z0-9-]{2,32})(?!_*(?:${wordCharacter}|@)|-|\/\w)`,
  'giu',
)

/** Names that are looked at in a text; those of no user do not count as mentions. */
const maxNames = 100

export interface Mention {
  /** In lower case. */
  name: string
  /** The line that it is in. */
  line: string
}

/** The first mention of each name in a Markdown text, outside of code, in their order. */
export const mentionsIn = (markdown: string): Mention[] => {
  if (!markdown.includes('@')) return []
  const found = new Map<string, Mention>()
  for (const { 1: written, index } of withoutCodeSpans(withoutCodeBlocks(markdown)).matchAll(mention)) {
    const name = written!.toLowerCase()
    if (found.has(name)) continue
    const end = markdown.indexOf('\n', index)
    found.set(name, { name, line: markdown.slice(markdown.lastIndexOf('\n', index) + 1, end === -1 ? undefined : end) })
    if (found.size === maxNames) break
  }
  return [...found.values()]
}
