import type { WordIndex } from '../index/word-index.js'

/** Orders documents of equal score, numbers in their refs by their value: BOT-3 comes before BOT-12. */
export const compareRefs = ({ documents: { refs, refOf } }: WordIndex, a: number, b: number): number =>
  refs.compareNaturally(refOf(a), refOf(b))
