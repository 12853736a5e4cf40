/** Far above what any request needs, far below what would keep the process busy. */
const maxDepth = 64
const maxValues = 20_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openings = [0x5b, 0x7b]
const closings = [0x5d, 0x7d]

/** Where the string that begins at `at` ends. */
const endOfString = (bytes: Buffer, at: number): number => {
  for (let end = bytes.indexOf(quote, at + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let slashes = 0
    while (bytes[end - 1 - slashes] === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return bytes.length
}

/**
 * What is wrong with the shape of a JSON text, before it is parsed: a few hundred kilobytes of brackets or of one-letter
 * fields take seconds to parse and to validate.
 */
export const shapeProblem = (bytes: Buffer): string | undefined => {
  let depth = 0
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma) values++
    else if (openings.includes(byte)) {
      values++
      depth++
      if (depth > maxDepth) return `is nested deeper than ${maxDepth} levels`
    } else if (closings.includes(byte)) depth--
    if (values > maxValues) return `has more than ${maxValues} values`
  }
  return undefined
}
