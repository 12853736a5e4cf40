/** A heading of a Markdown text: its words, and where its line stands. */
interface Heading {
  text: string
  start: number
  end: number
}

/** A part of a text that can be read on its own: what is below a heading, or some paragraphs of that. */
export interface Section {
  start: number
  end: number
  /** The headings that it stands below, the outermost first. */
  headings: readonly Heading[]
}

/** In characters. A longer part is cut between paragraphs. */
const MAX_LENGTH = 1_000
/** In a text with more headings, those that follow each other closely begin one section. */
const MAX_HEADINGS = 2_000

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const ATX = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*\r?$/

interface OpenHeading extends Heading {
  level: number
}

/** Where the next part ends: behind the last paragraph that fits, else the last line, else the last word. */
const endOfPart = (text: string, start: number, end: number): number => {
  if (end - start <= MAX_LENGTH) return end
  const part = text.slice(start, start + MAX_LENGTH)
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = part.lastIndexOf(mark)
    if (at >= MAX_LENGTH / 4) return start + at + mark.length
  }
  return start + (/[\ud800-\udbff]$/.test(part) ? MAX_LENGTH - 1 : MAX_LENGTH)
}

const isBlank = (text: string, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if (text[at]!.trim() !== '') return false
  return true
}

/** The sections of a Markdown text in their order. Together they hold all of it but blank lines. */
export const sectionsOf = (text: string): Section[] => {
  const sections: Section[] = []
  const minLength = Math.floor(text.length / MAX_HEADINGS)
  let open: OpenHeading[] = []
  let headings: Heading[] = []
  let from = 0

  const close = (end: number) => {
    for (let start = from; start < end; ) {
      const partEnd = endOfPart(text, start, end)
      if (!isBlank(text, start, partEnd)) sections.push({ start, end: partEnd, headings })
      start = partEnd
    }
    from = end
  }

  let fence: string | undefined
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const next = newline === -1 ? text.length : newline + 1
    // No heading is longer, and a line can be as long as the text.
    const line = text.slice(start, Math.min(end, start + MAX_LENGTH))
    const [, marks] = FENCE.exec(line) ?? []
    if (marks !== undefined) {
      if (fence === undefined) fence = marks
      else if (marks.startsWith(fence) && line.trim() === marks) fence = undefined
    } else if (fence === undefined) {
      const [, signs, words] = ATX.exec(line) ?? []
      if (signs !== undefined) {
        if (start - from >= minLength) close(start)
        open = [...open.filter(({ level }) => level < signs.length), { level: signs.length, text: words!, start, end }]
        if (from === start) headings = open.map(({ text, start, end }) => ({ text, start, end }))
      }
    }
    start = next
  }
  close(text.length)
  return sections
}
