import { characterClasses, DENSE, isWordClass } from './characters.js'

// What a text is written in shows soon.
const LOOK_AT = 4_000

/** Whether a text is written in a script without spaces (Chinese, Japanese, Korean, Thai) more than in others. */
export const isMostlyDense = (text: string): boolean => {
  let dense = 0
  let others = 0
  for (let at = 0; at < Math.min(text.length, LOOK_AT); at++) {
    const kind = characterClasses[text.charCodeAt(at)]!
    if (kind === DENSE) dense++
    else if (isWordClass(kind)) others++
  }
  return dense > others
}

// A word that no digit or sign makes the part of a code: `re-index` has one, `ACME-5` and `xq7-99-kk` have none.
const WORD = /(?<![\p{L}\p{N}_-])\p{L}{2,}(?![\p{L}\p{N}_]|-\p{N})/u

/** Whether a query says something at all: codes, numbers and signs have no meaning, though a model finds them one. */
export const hasMeaning = (query: string): boolean => WORD.test(query)
