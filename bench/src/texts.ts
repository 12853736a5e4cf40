/** The same texts in every run: a small generator with a fixed seed (mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo za bre cli dro fla gri pla sto tre'.split(
  ' ',
)
const everyday =
  'login page error server release user report search index cache token invoice export import deploy build test mobile email queue'.split(
    ' ',
  )

const vocabularySize = 20_000

/** Everyday words first, then made-up ones, each with its own spelling. */
const vocabulary: readonly string[] = Array.from({ length: vocabularySize }, (_, at) => {
  if (at < everyday.length) return everyday[at]!
  let word = ''
  for (let rest = at; rest > 0; rest = Math.floor(rest / syllables.length)) word += syllables[rest % syllables.length]
  return word
})

/** Few words often and many words seldom, as in real texts (Zipf's law). */
const wordOf = (random: () => number): string => vocabulary[Math.floor(vocabularySize ** random()) - 1]!

export const sentence = (random: () => number, words: number): string => {
  let text = wordOf(random)
  for (let count = 1; count < words; count++) text += ` ${wordOf(random)}`
  return text
}

export const commonWord = (random: () => number): string => everyday[Math.floor(random() * everyday.length)]!

/** One that stands in about one text of several thousand. */
export const rareWord = (random: () => number): string =>
  vocabulary[Math.floor(vocabularySize / 2 + (random() * vocabularySize) / 2)]!
