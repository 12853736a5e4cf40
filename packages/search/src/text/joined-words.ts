import { CONNECTOR, characterClasses, isWordClass } from './characters.js'
import { fold, normalize } from './fold.js'

/** Where words stand that are held together, such as time-sharing. */
interface JoinedWord {
  start: number
  end: number
}

/** Longer ones are indexed by their parts only. */
const MAX_LENGTH = 64
const JOINT = /[_\-./:@\\]/g

const kindAt = (text: string, at: number): number => characterClasses[text.charCodeAt(at)]!
const isWordAt = (text: string, at: number): boolean => at < text.length && isWordClass(kindAt(text, at))

/** Where the word goes on behind one joint or two; -1 where it ends. */
const goesOnAt = (text: string, joint: number): number => {
  if (joint >= text.length || kindAt(text, joint) !== CONNECTOR) return -1
  if (isWordAt(text, joint + 1)) return joint + 1
  return joint + 1 < text.length && kindAt(text, joint + 1) === CONNECTOR && isWordAt(text, joint + 2) ? joint + 2 : -1
}

/** In their order. */
export const joinedWords = (text: string): JoinedWord[] => {
  const found: JoinedWord[] = []
  JOINT.lastIndex = 0
  let previousEnd = 0
  for (let joint = JOINT.exec(text); joint; joint = JOINT.exec(text)) {
    let start = joint.index
    while (start > previousEnd && isWordAt(text, start - 1)) start--
    let end = joint.index
    if (start < end) {
      for (let next = goesOnAt(text, end); next > 0; next = goesOnAt(text, end)) {
        end = next
        while (isWordAt(text, end)) end++
      }
    }
    if (end > joint.index) {
      if (end - start <= MAX_LENGTH) found.push({ start, end })
      JOINT.lastIndex = end
      previousEnd = end
    }
  }
  return found
}

/** The one word that they are indexed as besides. */
export const joinedForm = (written: string): string => fold(normalize(written).replaceAll(JOINT, ''))
