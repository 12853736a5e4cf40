import { isTokenCharacter } from './token-characters.js'

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLower = (code: number): boolean => code >= 97 && code <= 122
const isUpper = (code: number): boolean => code >= 65 && code <= 90

const kindOf = (code: number): 'word' | 'digits' | 'space' | 'sign' | 'other' => {
  if (isLower(code) || isUpper(code)) return 'word'
  if (isDigit(code)) return 'digits'
  if (code === 32 || code === 9 || code === 10 || code === 13) return 'space'
  return code < 128 ? 'sign' : 'other'
}

const isEmojiHalf = (code: number): boolean => code >= 0xd83c && code <= 0xd83e

/** Before it are the letters of European and Semitic alphabets, whose words are in a model's vocabulary as parts. */
const firstOfOtherScripts = 0x0700

/** What a character beyond ASCII takes at most: one token, or one for each of its bytes. In common words it is less. */
const tokensOfCharacter = (code: number): number => {
  if (isTokenCharacter(code)) return code < firstOfOtherScripts ? 0.5 : 1
  if (code < 0x800) return 2
  if (isEmojiHalf(code)) return 1
  return code >= 0xd800 && code < 0xe000 ? 2 : 3
}

/** Longer words are in no dictionary: identifiers, keys and hashes. */
const maxWordLength = 12

/** Of a word of up to so many letters, how many make a token; and what a space before it takes. */
interface Density {
  letters: number
  space: number
}

const anyWords: Density = { letters: 4, space: 0.25 }
export const commonWords: Density = { letters: 7, space: 0 }

const tokensOfWord = (length: number, isUpperCase: boolean, { letters }: Density): number => {
  if (isUpperCase) return Math.ceil(length / 1.7)
  return length <= maxWordLength ? Math.ceil(length / letters) : maxWordLength / 4 + (length - maxWordLength) / 2
}

/**
 * Estimates how many tokens a model makes of a text, rather too many than too few: counting them exactly would take
 * a vocabulary of megabytes and more time than the read itself.
 */
export const estimateTokens = (text: string, density = anyWords): number => {
  let tokens = 0
  let at = 0
  while (at < text.length) {
    const first = text.charCodeAt(at)
    const kind = kindOf(first)
    let end = at + 1
    if (kind === 'word') {
      while (end < text.length) {
        const code = text.charCodeAt(end)
        if (!isLower(code) && !(isUpper(code) && isUpper(text.charCodeAt(end - 1)))) break
        end++
      }
      tokens += tokensOfWord(end - at, isUpper(first) && isUpper(text.charCodeAt(at + 1)), density)
    } else if (kind === 'digits') {
      while (end < text.length && isDigit(text.charCodeAt(end))) end++
      tokens += Math.ceil((end - at) / 3)
    } else if (kind === 'space') {
      while (end < text.length && kindOf(text.charCodeAt(end)) === 'space') end++
      // One space belongs to the word after it, but not to a number.
      const isOfWord = end - at === 1 && first === 32 && !isDigit(text.charCodeAt(end))
      tokens += isOfWord ? density.space : 1 + (end - at) / 16
    } else if (kind === 'sign') {
      while (end < text.length && text.charCodeAt(end) === first) end++
      tokens += Math.ceil((end - at) / 4)
    } else {
      tokens += tokensOfCharacter(first)
    }
    at = end
  }
  return Math.ceil(tokens)
}

/** An estimate may be a little too low for texts such as keys and hashes. */
export const safeShare = 0.88

const jsonSigns = /[[\]{}":,]+/

/** The same for JSON, of which a model reads several signs at once. */
export const estimateJsonTokens = (json: string): number => {
  let tokens = 0
  let at = 0
  for (const part of json.split(jsonSigns)) {
    tokens += estimateTokens(part)
    at += part.length
    let end = at
    while (end < json.length && jsonSigns.test(json[end]!)) end++
    tokens += Math.ceil((end - at) / 4)
    at = end
  }
  return tokens
}
