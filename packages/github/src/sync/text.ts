import { createHash } from 'node:crypto'

/** The same text whatever the line ends and the blanks around it, which both services may change. */
export const canonical = (text: string): string => text.replaceAll('\r\n', '\n').trim()

/** Tells whether a text has changed since it was noted. */
export const digest = (text: string): string => createHash('sha256').update(canonical(text)).digest('hex').slice(0, 16)

const cutMark = '\n\n… (shortened)'

/** The start of a text that fits into so many bytes of UTF-8. */
export const withinBytes = (text: string, maxBytes: number): string => {
  const whole = text.toWellFormed().replaceAll('\0', '')
  const bytes = Buffer.from(whole)
  if (bytes.length <= maxBytes) return whole
  let end = maxBytes - Buffer.byteLength(cutMark)
  // Not inside a character.
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString('utf8') + cutMark
}

/** The start of a text that fits into so many characters. */
export const withinCharacters = (text: string, maxCharacters: number): string =>
  text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1).toWellFormed()}…`
