const WINDOW_TOKENS = 200
const OVERLAP_TOKENS = 40
const MAX_WINDOWS = 16

const PIECE = /\p{sc=Han}|[\p{L}\p{M}]+|\p{N}+|[^\s\p{L}\p{M}\p{N}]/gu

/** A careful guess, without the model's vocabulary: common words are one token, rare and long ones several. */
function tokensOf(piece: string): number {
  if (/^\p{N}/u.test(piece)) return Math.ceil(piece.length / 2)
  if (/^[a-z]+$/i.test(piece)) return Math.ceil(piece.length / 7)
  return Math.ceil(piece.length / 1.5)
}

/**
 * The parts of a text that are embedded each on its own, because a model reads a few hundred tokens only. They overlap,
 * so that a thought which a boundary cuts is whole in one of them. What lies beyond the last is found by words only.
 */
export function windows(text: string): string[] {
  const parts: string[] = []
  const pieces: { at: number; tokens: number }[] = []
  let total = 0
  for (const match of text.matchAll(PIECE)) {
    const tokens = tokensOf(match[0])
    if (total + tokens > WINDOW_TOKENS && pieces.length > 0) {
      parts.push(text.slice(pieces[0]!.at, match.index).trim())
      if (parts.length === MAX_WINDOWS) return parts
      while (pieces.length > 0 && total > OVERLAP_TOKENS) total -= pieces.shift()!.tokens
    }
    pieces.push({ at: match.index, tokens })
    total += tokens
  }
  if (pieces.length > 0) parts.push(text.slice(pieces[0]!.at).trim())
  return parts
}
