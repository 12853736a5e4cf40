/** What no header can carry is refused before anything is sent. */
const allowed = /^[\t\x20-\x7e\x80-\xff]*$/

/** Names in small letters, so that a later value replaces an earlier one; values without the line end of their file. */
export const headersOf = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, text]) => {
      const value = text.trim()
      if (!allowed.test(value)) throw new TypeError(`The header ${name} contains a character that no header can have.`)
      return [name.toLowerCase(), value]
    }),
  )

/** `crypto.randomUUID` is missing on pages that are not served over https. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
