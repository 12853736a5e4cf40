export const handlePattern = '^[a-z0-9-]{2,32}$'
const maxHandleLength = 32

/** Used where a name has nothing that a handle can have. */
const fallback = 'user'

/** Latin letters that Unicode does not decompose into a plain letter and a mark. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
}

const trimHyphens = (text: string): string => text.replace(/^-+|-+$/g, '')

/** The handle that a name suggests: `Zoë Ångström` is `zoe-angstrom`. */
export const handleFrom = (name: string): string => {
  const ascii = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\0-\x7f]/g, (letter) => plainLetters[letter] ?? '-')
    .replace(/[^a-z0-9]+/g, '-')
  const handle = trimHyphens(trimHyphens(ascii).slice(0, maxHandleLength))
  return handle.length < 2 ? fallback : handle
}

/** All numbered variants of a handle begin like this. */
export const variantPrefix = (handle: string): string => handle.slice(0, 16)

/** The handle itself or, where it is taken, its first free variant: `ada-2`, `ada-3` and so on. */
export const freeHandle = (handle: string, isTaken: (handle: string) => boolean): string => {
  let free = handle
  for (let number = 2; isTaken(free); number++) {
    const suffix = `-${number}`
    free = trimHyphens(handle.slice(0, maxHandleLength - suffix.length)) + suffix
  }
  return free
}
