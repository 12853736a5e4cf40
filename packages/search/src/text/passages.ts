/** In characters: some hundred words. */
const PASSAGE_LENGTH = 2_000
const OVERLAP = 200
/** A text that is little longer is one passage. */
const LONGEST_WHOLE = 3_000

/** The end of the last line or word before `end`. */
const breakBefore = (text: string, start: number, end: number): number => {
  const least = start + Math.floor((end - start) / 2)
  const line = text.lastIndexOf('\n', end)
  if (line > least) return line
  const space = text.lastIndexOf(' ', end)
  return space > least ? space : end
}

/**
 * The parts of a text whose words are scored together: in a long text words far apart have nothing to do with each
 * other, and its length says nothing about any one of its subjects. They overlap, so that no sentence is cut in all.
 */
export const passages = (text: string): string[] => {
  if (text.length <= LONGEST_WHOLE) return [text]
  const parts: string[] = []
  for (let start = 0; start < text.length; ) {
    const isLast = text.length - start <= PASSAGE_LENGTH + OVERLAP
    const end = isLast ? text.length : breakBefore(text, start, start + PASSAGE_LENGTH)
    parts.push(text.slice(start, end))
    start = isLast ? end : Math.max(start + 1, breakBefore(text, start, end - OVERLAP))
  }
  return parts
}
