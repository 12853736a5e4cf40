/** Returns the optimal string alignment distance: Levenshtein, but swapping two adjacent characters is one edit. */
const editDistance = (from: string, to: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let at = 1; at <= to.length; at++) {
      const replaced = last[at - 1]! + (from[row - 1] === to[at - 1] ? 0 : 1)
      let edits = Math.min(last[at]! + 1, current[at - 1]! + 1, replaced)
      if (row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]) {
        edits = Math.min(edits, beforeLast[at - 2]! + 1)
      }
      current.push(edits)
    }
    beforeLast = last
    last = current
  }
  return last[to.length]!
}

const maxLength = 64

/** Ends a message about an unknown name with the known one that was most likely meant, if one is near enough. */
export const didYouMean = (name: string, known: readonly string[]): string => {
  if (name.length > maxLength) return ''
  let nearest = ''
  let fewest = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const isPart = name.length > 2 && candidate.startsWith(name)
    const edits = isPart ? 0.5 : editDistance(name, candidate)
    if (edits >= fewest || edits >= candidate.length) continue
    fewest = edits
    nearest = candidate
  }
  return nearest === '' ? '' : ` Did you mean ${nearest}?`
}
