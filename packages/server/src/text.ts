/** Half of a surrogate pair alone has no UTF-8 form, and PostgreSQL stores no NUL. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export const utf8Length = (text: string): number => Buffer.byteLength(text, 'utf8')

export const characterCount = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}
