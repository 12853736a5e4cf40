const ASCII = /^[\x00-\x7f]*$/

// NFKC makes one of full-width, ligature and composed forms; ASCII is already in that form.
export const normalize = (text: string): string => (ASCII.test(text) ? text : text.normalize('NFKC'))

// Accents are dropped from Latin and Greek alone: elsewhere (Devanagari, Arabic, й) a mark is part of the letter.
const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu

export const fold = (word: string): string => {
  const small = word.toLowerCase()
  if (ASCII.test(small)) return small
  return small.normalize('NFD').replace(ACCENTED, '$1').replaceAll('ς', 'σ').replaceAll('ß', 'ss').normalize('NFC')
}
