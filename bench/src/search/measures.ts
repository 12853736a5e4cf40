export interface Quality {
  ndcg: number
  recall: number
  mrr: number
}

const CUT = 10

const gain = (grades: readonly number[]): number =>
  grades.slice(0, CUT).reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0)

/** nDCG@10, recall@10 and MRR@10 of one answer. */
export const qualityOf = (found: readonly string[], grades: ReadonlyMap<string, number>): Quality => {
  const got = found.slice(0, CUT).map((id) => grades.get(id) ?? 0)
  const first = got.findIndex((grade) => grade > 0)
  return {
    ndcg: gain(got) / gain([...grades.values()].sort((a, b) => b - a)),
    recall: got.filter((grade) => grade > 0).length / grades.size,
    mrr: first < 0 ? 0 : 1 / (first + 1),
  }
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

export const meanQuality = (qualities: readonly Quality[]): Quality => ({
  ndcg: mean(qualities.map(({ ndcg }) => ndcg)),
  recall: mean(qualities.map(({ recall }) => recall)),
  mrr: mean(qualities.map(({ mrr }) => mrr)),
})

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
