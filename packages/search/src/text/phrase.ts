import { isUnspaced } from './characters.js'
import { fold, normalize } from './fold.js'

// Whatever stands between two words but a single space, which can stay as it is: most of a text's spaces do.
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M} ][^\p{L}\p{N}\p{M}]*| [^\p{L}\p{N}\p{M}]+/gu

/** The words of a text, whatever their case and what divides them, with a space around each. */
const spaced = (text: string): string => ` ${fold(normalize(text)).replace(BETWEEN_WORDS, ' ').trim()} `

// Scripts without spaces have no word's end to respect.
const wantedOf = (phrase: string): string => ([...phrase].some(isUnspaced) ? spaced(phrase).trim() : spaced(phrase))

const wantedOfAll = (phrases: readonly string[]): string[] => [...new Set(phrases.map(wantedOf))]

/** Whether the words of each phrase stand side by side in one of the texts, and those of no excluded phrase do. */
export const phraseTest = (phrases: readonly string[], excluded: readonly string[] = []) => {
  const wanted = wantedOfAll(phrases)
  const unwanted = wantedOfAll(excluded)
  return (texts: readonly string[]): boolean => {
    const all = texts.map(spaced)
    return (
      wanted.every((phrase) => all.some((text) => text.includes(phrase))) &&
      !unwanted.some((phrase) => all.some((text) => text.includes(phrase)))
    )
  }
}
