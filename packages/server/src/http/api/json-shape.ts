/** Far above what any request needs, far below what would keep the process busy. */
const maxDepth = 64
const maxValues = 20_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d

/** Where the string that begins at `at` ends. */
const endOfString = (bytes: Buffer, at: number): number => {
  let end = at + 1
  while (end < bytes.length && bytes[end] !== quote) end += bytes[end] === backslash ? 2 : 1
  return end
}

/** The same where nothing is escaped. */
const endOfPlainString = (bytes: Buffer, at: number): number => {
  const end = bytes.indexOf(quote, at + 1)
  return end < 0 ? bytes.length : end
}

/**
 * What is wrong with the shape of a JSON text, before it is parsed: a few hundred kilobytes of brackets or of one-letter
 * fields take seconds to parse and to validate.
 */
export const shapeProblem = (bytes: Buffer): string | undefined => {
  const endOf = bytes.includes(backslash) ? endOfString : endOfPlainString
  let depth = 0
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) at = endOf(bytes, at)
    else if (byte === comma) values++
    else if (isOpening(byte)) {
      values++
      depth++
      if (depth > maxDepth) return `must not be nested deeper than ${maxDepth} levels`
    } else if (isClosing(byte)) depth--
    if (values > maxValues) return `must not contain more than ${maxValues} values`
  }
  return undefined
}

const colon = 0x3a
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

const isName = (bytes: Buffer, endOfText: number): boolean => {
  let at = endOfText + 1
  while (isSpace(bytes[at])) at++
  return bytes[at] === colon
}

/** A JSON text with an empty object in place of the object or array at a path, whatever that contains. */
export const emptiedAt = (bytes: Buffer, path: readonly string[]): Buffer => {
  const names = path.map((name) => Buffer.from(name))
  /** Whether the scan is inside the member of that name, for each level of the path. */
  const isInside = path.map(() => false)
  let start = -1
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) {
      const end = endOfString(bytes, at)
      const name = names[depth - 1]
      if (name && isName(bytes, end)) {
        isInside[depth - 1] = end - at - 1 === name.length && bytes.compare(name, 0, name.length, at + 1, end) === 0
      }
      at = end
    } else if (isOpening(byte)) {
      if (depth === path.length && !isInside.includes(false)) start = at
      depth++
    } else if (isClosing(byte)) {
      depth--
      if (depth === path.length && start >= 0) {
        return Buffer.concat([bytes.subarray(0, start), Buffer.from('{}'), bytes.subarray(at + 1)])
      }
    }
  }
  return bytes
}
