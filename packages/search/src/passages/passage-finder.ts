import { NONE } from '../index/string-table.js'
import { idfOf } from '../ranking/bm25.js'
import type { SearchedTerms } from '../ranking/fuzzy-terms.js'
import { windowRanges } from '../semantic/windows.js'
import type { Match } from '../text/matches.js'
import { stemOf } from '../text/porter2.js'
import type { ParsedQuery } from '../text/query.js'
import { stopPhrasesOf } from '../text/stop-word-matches.js'
import { bestPassages, type Passage, type WindowCosine } from './best-passages.js'

interface EmbeddedText {
  body: string
  /** What stands before the body in the text that is embedded. */
  embeddedLead?: string
}

const windowsOf = ({ body, embeddedLead = '' }: EmbeddedText, cosines: readonly number[] = []): WindowCosine[] => {
  if (cosines.length === 0) return []
  return windowRanges(embeddedLead + body)
    .slice(0, cosines.length)
    .map(({ start, end }, at) => ({
      start: Math.max(0, start - embeddedLead.length),
      end: end - embeddedLead.length,
      cosine: cosines[at]!,
    }))
}

/** Finds the passages that say most about a query, weighting its words by how rare they are in the documents searched. */
export const passageFinder = ({ vocabulary, statistics }: SearchedTerms, query: ParsedQuery, count: number) => {
  const weights = new Map<string, number>()
  for (const { word } of query.words) {
    const term = vocabulary.find(word)
    weights.set(stemOf(word), idfOf(statistics.size, term === NONE ? 0 : statistics.documentFrequency(term)))
  }
  for (const phrase of stopPhrasesOf(query)) weights.set(phrase, idfOf(statistics.size, 0))
  const totalWeight = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  return (hit: { cosines?: readonly number[] }, text: EmbeddedText, matches: readonly Match[]): Passage[] =>
    bestPassages(text.body, count, {
      matches,
      weightOf: (term) => weights.get(term) ?? 0,
      totalWeight,
      windows: windowsOf(text, hit.cosines),
    })
}
