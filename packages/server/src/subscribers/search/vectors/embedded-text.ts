import { createHash } from 'node:crypto'
import { isMostlyLatin, windows } from 'worklore-search'

/** The parts of a text that are given to the model: none where it could not read it. */
export const partsToEmbed = (text: string, isEnglishOnly: boolean): string[] =>
  isEnglishOnly && !isMostlyLatin(text) ? [] : windows(text)

export const hashOfParts = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
