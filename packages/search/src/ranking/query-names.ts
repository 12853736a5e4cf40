import { NONE } from '../index/string-table.js'
import type { WordIndex } from '../index/word-index.js'
import type { SearchedTerms } from './fuzzy-terms.js'

/** Added to the rank of a document that contains every name of the query. docs/measurements/search.md has the figures. */
const NAME_WEIGHT = 0.3
/** A name in more documents says little about each. */
const MAX_DOCUMENT_SHARE = 0.02
const MAX_DOCUMENTS_OF_FEW = 2

/**
 * Returns what each document gains for the names of the query that it contains. The vectors say nothing
 * about names that the model does not know, such as `Harufesund`, so without this a document that shares ordinary words
 * with the query could outrank the one about the right thing. Names of many documents are ignored. `weight` is 0 for a
 * query in a language that the model does not know.
 */
export const nameBonuses = (
  index: WordIndex,
  { vocabulary, statistics }: SearchedTerms,
  queryNames: readonly string[],
  weight: number,
): ReadonlyMap<number, number> => {
  const most = Math.max(MAX_DOCUMENTS_OF_FEW, statistics.size * MAX_DOCUMENT_SHARE)
  const names = queryNames.map(vocabulary.find).filter((term) => {
    const frequency = term === NONE ? 0 : statistics.documentFrequency(term)
    return frequency > 0 && frequency <= most
  })
  const bonuses = new Map<number, number>()
  for (const term of names) {
    const documents = new Set<number>()
    index.postings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) documents.add(index.documents.headOf(cells[at]! >>> 8))
    })
    for (const document of documents) {
      bonuses.set(document, (bonuses.get(document) ?? 0) + (weight * NAME_WEIGHT) / names.length)
    }
  }
  return bonuses
}
