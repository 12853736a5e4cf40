export const SEPARATOR = 0
export const SMALL = 1
export const CAPITAL = 2
export const DIGIT = 3
// Scripts written without spaces between words.
export const UNSPACED = 4
export const CONNECTOR = 5
export const SURROGATE = 6
export const APOSTROPHE = 7

const CONNECTORS = '_-./:@\\'
const APOSTROPHES = "'\u2019\u02bc"
const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u

export const isUnspaced = (character: string) => UNSPACED_SCRIPT.test(character) && WORD_CHARACTER.test(character)

export const classOf = (character: string): number => {
  if (APOSTROPHES.includes(character)) return APOSTROPHE
  if (CONNECTORS.includes(character)) return CONNECTOR
  if (!WORD_CHARACTER.test(character)) return SEPARATOR
  if (isUnspaced(character)) return UNSPACED
  if (/\p{N}/u.test(character)) return DIGIT
  return /[\p{Lu}\p{Lt}]/u.test(character) ? CAPITAL : SMALL
}

// One byte for every UTF-16 unit: a look-up here is ten times cheaper than a Unicode regular expression.
const classes = new Uint8Array(0x10000)
for (let unit = 0; unit < 0x10000; unit++) {
  classes[unit] = unit >= 0xd800 && unit <= 0xdfff ? SURROGATE : classOf(String.fromCharCode(unit))
}

export const characterClasses: Readonly<Uint8Array> = classes

export const isWordClass = (kind: number) => kind >= SMALL && kind <= DIGIT
