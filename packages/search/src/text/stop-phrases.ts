// Stop words are not indexed, but three of them in a row are, for phrases such as "off by one". They share few terms,
// so that they stay a small part of the vocabulary: the texts themselves tell which of the documents found hold them.
const TERMS = 4_096

const termOf = (words: string): string => {
  let hash = 0x811c9dc5
  for (let at = 0; at < words.length; at++) hash = Math.imul(hash ^ words.charCodeAt(at), 0x01000193)
  return `\u0001${((hash ^ (hash >>> 15)) >>> 0) % TERMS}`
}

/** Makes a term of every three stop words in a row; `interrupt` is for the other words. */
export const createStopPhraseReader = (emit: (term: string) => void) => {
  let beforeLast = ''
  let last = ''
  return {
    add(word: string) {
      if (beforeLast !== '') emit(termOf(`${beforeLast} ${last} ${word}`))
      beforeLast = last
      last = word
    },
    interrupt() {
      beforeLast = ''
      last = ''
    },
  }
}
