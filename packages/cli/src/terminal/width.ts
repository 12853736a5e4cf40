const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const narrow = /^[\x20-\x7e]*$/
const zeroWidth = /\p{M}|\p{Cf}/u

const widthOfCharacter = (character: string): number => {
  if (zeroWidth.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** How many columns a text takes on a terminal. */
export const widthOf = (text: string): number => {
  if (narrow.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

/** The text within so many columns, with an ellipsis where some of it is left out. */
export const fit = (text: string, columns: number): string => {
  if (widthOf(text) <= columns) return text
  let width = 0
  let fitting = ''
  for (const character of text) {
    width += widthOfCharacter(character)
    if (width >= columns) break
    fitting += character
  }
  return `${fitting}…`
}

export const padded = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - widthOf(text)))
