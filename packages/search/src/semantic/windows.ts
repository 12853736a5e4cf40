const WINDOW_TOKENS = 230
const OVERLAP_TOKENS = 40
const HEADING_TOKENS = 40
/** More than a megabyte of prose has. */
const MAX_WINDOWS = 1_500

const PIECE = /\p{sc=Han}|[\p{L}\p{M}]+|\p{N}+|[^\s\p{L}\p{M}\p{N}]/gu

/** A fair guess without the model's vocabulary: what it misses by, the overlap covers. */
const tokensOf = (piece: string): number => {
  if (/^\p{N}/u.test(piece)) return Math.ceil(piece.length / 2)
  if (/^[a-z]+$/i.test(piece)) return Math.ceil(piece.length / 7)
  return Math.ceil(piece.length / 1.5)
}

const headingOf = (text: string): { heading: string; tokens: number } => {
  const [line = ''] = text.trimStart().split('\n', 1)
  const tokens =
    line.length > 300
      ? Number.POSITIVE_INFINITY
      : (line.match(PIECE) ?? []).reduce((sum, piece) => sum + tokensOf(piece), 0)
  return tokens > HEADING_TOKENS ? { heading: '', tokens: 0 } : { heading: `${line}\n`, tokens }
}

/** Where a window stands in its text. */
interface WindowRange {
  start: number
  end: number
}

const rangesOf = (text: string, headingTokens: number): WindowRange[] => {
  const ranges: WindowRange[] = []
  const pieces: { at: number; tokens: number }[] = []
  let total = 0
  for (const match of text.matchAll(PIECE)) {
    const tokens = tokensOf(match[0])
    const room = WINDOW_TOKENS - (ranges.length === 0 ? 0 : headingTokens)
    if (total + tokens > room && pieces.length > 0) {
      ranges.push({ start: pieces[0]!.at, end: match.index })
      if (ranges.length === MAX_WINDOWS) return ranges
      while (pieces.length > 0 && total > OVERLAP_TOKENS) total -= pieces.shift()!.tokens
    }
    pieces.push({ at: match.index, tokens })
    total += tokens
  }
  if (pieces.length > 0) ranges.push({ start: pieces[0]!.at, end: text.length })
  return ranges
}

export const windowRanges = (text: string): WindowRange[] => rangesOf(text, headingOf(text).tokens)

/**
 * The parts of a text that are embedded each on its own, because a model reads a few hundred tokens only. They overlap,
 * so that a thought which a boundary cuts is whole in one of them, and each begins with the text's heading, without
 * which a later part rarely says what it is about. A text of little but signs and
 * digits may have more than are embedded: the rest is found by words only.
 */
export const windows = (text: string): string[] => {
  const { heading, tokens } = headingOf(text)
  return rangesOf(text, tokens).map(({ start, end }, at) => (at === 0 ? '' : heading) + text.slice(start, end).trim())
}
