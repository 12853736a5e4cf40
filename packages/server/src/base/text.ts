/** Half of a surrogate pair alone has no UTF-8 form, and PostgreSQL stores no NUL. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Whether there is nothing to see in a text: spaces, control and formatting characters such as zero-width spaces alone. */
export const isBlank = (text: string): boolean => !/[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)

/** The beginning of a text, with no character cut in half. */
export const beginningOf = (text: string, length: number): string => {
  const isPairCut = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800
  return text.slice(0, isPairCut ? length - 1 : length)
}

export const utf8Length = (text: string): number => Buffer.byteLength(text, 'utf8')

/** Counts a surrogate pair as one. An iterator over a long text would take many times as long. */
export const characterCount = (text: string): number => {
  if (utf8Length(text) === text.length) return text.length
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00
    if (isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count--
  }
  return count
}
