// Stop words are not indexed but in titles, where a task may have no other: "Who?", "IT". Three of them in a row are, for phrases such as "off by one". They share few terms,
// so that they stay a small part of the vocabulary: the texts themselves tell which of the documents found hold them.
const TERMS = 4_096

const termOf = (words: string): string => {
  let hash = 0x811c9dc5
  for (let at = 0; at < words.length; at++) hash = Math.imul(hash ^ words.charCodeAt(at), 0x01000193)
  return `\u0001${((hash ^ (hash >>> 15)) >>> 0) % TERMS}`
}

/** The term of a stop word in a title. No word is so near to it that a correction could take it for one. */
export const titleTermOf = (stopWord: string): string => `\u0002\u0002\u0002${stopWord}`

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
