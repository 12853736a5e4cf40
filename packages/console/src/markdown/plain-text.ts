/** One line of Markdown without its marks, for places that show it as a title. */
export const plainText = (line: string): string =>
  line
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/, '')
    .replace(/\*\*|__|~~|`/g, '')
    .replace(/(^|\W)([*_])(\S[^*_]*)\2(?!\w)/g, '$1$3')
    .trim() || line
