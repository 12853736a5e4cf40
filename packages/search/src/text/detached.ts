/** V8 copies shorter substrings. */
const SHORTEST_SLICE = 13

/** A word that does not keep in memory the whole text that it was cut out of, as substrings do in V8. */
export const detached = (word: string): string =>
  word.length < SHORTEST_SLICE ? word : Buffer.from(word, 'utf16le').toString('utf16le')
