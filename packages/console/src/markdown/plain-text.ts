/** One line of Markdown without its marks, for places that show it as a title. */
export const plainText = (line: string): string =>
  line
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/!?\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/g, '$1')
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/, '')
    .replace(/\*\*|__|~~|`/g, '')
    .replace(/(^|\W)([*_])(\S[^*_]*)\2(?!\w)/g, '$1$3')
    .trim() || line

const isFence = /^\s*(?:```|~~~)/
const isTableRule = (line: string): boolean => /^[\s:|-]+$/.test(line) && /---|\|.*-|-.*\|/.test(line)

/** A piece of Markdown as one line of text. */
export const plainLine = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !isFence.test(line) && !isTableRule(line))
    .map((line) => plainText(/^\s*\|/.test(line) ? line.replace(/^\s*\||\|\s*$/g, '').replaceAll('|', ' · ') : line))
    .join(' ')
    .replace(/\s+/g, ' ')

/** The same for Markdown whose lines were put into one: headings and checks begin within it. */
export const plainExcerpt = (line: string): string =>
  plainText(line.replace(/\s(?:#{1,6}|[-*+] \[[ xX]\])\s+/g, ' · ').replace(/(?: ·)+ /g, ' · '))
