/** A hit that was shown, and whether it is right. */
export interface ShownHit {
  score: number
  isRight: boolean
  isFirst: boolean
}

const BUCKETS = 10

const shareOf = (hits: readonly ShownHit[]): string =>
  hits.length === 0 ? '' : (hits.filter(({ isRight }) => isRight).length / hits.length).toFixed(2)

/** How often hits of each score are right, as rows of a table. */
export const reliability = (hits: readonly ShownHit[]): (string | number)[][] =>
  Array.from({ length: BUCKETS }, (_, bucket) => {
    const inside = hits.filter(({ score }) => Math.min(BUCKETS - 1, Math.floor(score * BUCKETS)) === bucket)
    const first = inside.filter(({ isFirst }) => isFirst)
    return [
      `${bucket / BUCKETS}–${(bucket + 1) / BUCKETS}`,
      inside.length,
      shareOf(inside),
      first.length,
      shareOf(first),
    ]
  })

const LEAST_SCORES = [0, 0.05, 0.1, 0.15, 0.3, 0.5]

/** The share of the hits of at least a score that are right, and of the right ones that are kept. */
export const precisionAndRecall = (hits: readonly ShownHit[]): (string | number)[][] => {
  const right = hits.filter(({ isRight }) => isRight).length
  return LEAST_SCORES.map((minScore) => {
    const kept = hits.filter(({ score }) => score >= minScore)
    const keptRight = kept.filter(({ isRight }) => isRight).length
    return [minScore, shareOf(kept), (keptRight / Math.max(1, right)).toFixed(2)]
  })
}

/** The share of the searches without a right answer whose first hit has at least a score. */
export const falseAlarms = (firstScores: readonly number[]): (string | number)[][] =>
  LEAST_SCORES.slice(1).map((minScore) => {
    const above = firstScores.filter((score) => score >= minScore).length
    return [minScore, (above / Math.max(1, firstScores.length)).toFixed(2)]
  })

/** The first hits of searches with a right answer, and of those without one. */
export interface FirstScores {
  answerable: readonly number[]
  unanswerable: readonly number[]
}

/** How probable it is that the score of a search with a right answer is the higher one of two. */
export const areaUnderCurve = ({ answerable, unanswerable }: FirstScores): number => {
  let above = 0
  for (const high of answerable) for (const low of unanswerable) above += high > low ? 1 : high === low ? 0.5 : 0
  return above / Math.max(1, answerable.length * unanswerable.length)
}
