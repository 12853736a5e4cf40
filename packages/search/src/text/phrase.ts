import { isUnspaced } from './characters.js'
import { fold, normalize } from './fold.js'

const WORDS = /[\p{L}\p{N}\p{M}]+/gu

const spaced = (text: string) => fold(normalize(text)).match(WORDS) ?? []

/** Whether the words of the phrase stand in the text side by side, whatever their case and what divides them. */
export const phraseTest = (phrase: string): ((text: string) => boolean) => {
  const words = spaced(phrase)
  const isWordless = [...phrase].some(isUnspaced)
  const wanted = words.join(' ')
  // Scripts without spaces have no word's end to respect.
  if (isWordless) return (text) => spaced(text).join(' ').includes(wanted)
  return (text) => ` ${spaced(text).join(' ')} `.includes(` ${wanted} `)
}
