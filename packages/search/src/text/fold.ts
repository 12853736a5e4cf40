const ASCII = /^[\x00-\x7f]*$/

// A loop beats the expression on a word, the expression beats the loop on a text.
const isAsciiWord = (word: string) => {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) > 127) return false
  return true
}

// Includes the half-width Katakana voicing marks, which normalize to combining marks. 30 is the limit of Unicode's
// Stream-Safe Text Format.
const TOO_MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/** Normalization sorts consecutive combining marks, in quadratic time. */
export const limitMarks = (text: string): string => text.replace(TOO_MANY_MARKS, '$1')

// NFKC makes one of full-width, ligature and composed forms; ASCII is already in that form.
export const normalize = (text: string): string => (ASCII.test(text) ? text : limitMarks(text).normalize('NFKC'))

// Accents are dropped from Latin and Greek alone: elsewhere (Devanagari, Arabic, й) a mark is part of the letter.
const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu

export const fold = (word: string): string => {
  const small = word.toLowerCase()
  if (isAsciiWord(small)) return small
  return small.normalize('NFD').replace(ACCENTED, '$1').replaceAll('ς', 'σ').replaceAll('ß', 'ss').normalize('NFC')
}
