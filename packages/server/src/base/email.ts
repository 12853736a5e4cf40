import { isStorable } from './text.js'

const maxEmailLength = 320

/**
 * Returns an e-mail address or a domain with its ASCII letters in lower case. Other letters are unchanged, because Unicode
 * case folding turns distinct addresses into one: the Kelvin sign becomes the letter k.
 */
export const foldEmail = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

export const isSameEmail = (one: string, other: string): boolean => foldEmail(one) === foldEmail(other)

/** Whether a text is one e-mail address that contains no compatibility characters such as full-width letters. */
export const isPlainEmail = (text: string): boolean =>
  text.length <= maxEmailLength && /^[^\s@]+@[^\s@]+$/.test(text) && isStorable(text) && text.normalize('NFKC') === text
