import { porter2 } from './porter2.js'

const ENGLISH_WORD = /^[a-z]{3,}$/

export const stemOf = (word: string): string => (ENGLISH_WORD.test(word) ? porter2(word) : word)
