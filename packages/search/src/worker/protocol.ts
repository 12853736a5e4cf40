import type { IndexFilter } from '../index/filter.js'
import type { Passage } from '../passages/best-passages.js'
import type { ScoreParts } from '../ranking/hybrid-score.js'
import type { DocumentName } from '../ranking/search-index.js'
import type { EmbeddedQuery } from '../semantic/query-embedder.js'
import type { DocumentText } from './ports.js'

export interface Search {
  collection: string
  text: string
  /** Whether it is the text of a document, which has no operators and names no document. */
  isLiteral?: boolean
  filter: IndexFilter
  /** The best so many count, and of these the ones from here to there are wanted. */
  top: number
  from: number
  to: number
  minScore?: number | undefined
  isExplained?: boolean
  /** The time that the search is about, in milliseconds, where hits depend on it. */
  at?: number
  /** Whether the hits are wanted as text, which the collection renders from their texts and snippets. */
  isRendered?: boolean
  /** How many passages are rendered with each hit. */
  passages?: number
  /** Whether hits are rendered without their texts. */
  isBrief?: boolean
}

export interface Hit extends DocumentName {
  score: number
  /** Name of the document that matched, if this document replaced it. */
  foundBy?: string
  /** Where the search asked for it. */
  explain?: ScoreParts
}

export interface HitWithText {
  hit: Hit
  text: DocumentText
  /** HTML whose only tag is `<mark>`. */
  snippet: string
  /** Best first, where the search asked for them. */
  passages: readonly Passage[] | undefined
  /** As the search says. */
  at: number | undefined
  isBrief: boolean
}

export interface Found<T extends Hit | string = Hit> {
  hits: T[]
  /** How many there are, up to one more than count. */
  total: number
  /** Whether vectors had a part in it. */
  isSemantic: boolean
  /** False while the index is being built or catches up, or many texts wait for their vectors. */
  isComplete: boolean
  /**
   * The newest change of the vectors in the index; undefined where there are none, or the query's own came too late, so
   * that the same search may find more.
   */
  vectorChange: number | undefined
  /** When the next document is due after the time that the search is about; undefined for none. */
  nextDue: number | undefined
}

export type WorkerRequest =
  | {
      id: number
      kind: 'search'
      tenantId: string
      /** What the tenant had committed before, if that is known. */
      commits: string | undefined
      awaitsVector: boolean
      search: Search
    }
  /** Follows a search that awaits its vector. */
  | ({ id: number; kind: 'embeddedQuery' } & EmbeddedQuery)
  /** Nobody waits for this search any longer. */
  | { id: number; kind: 'cancel' }
  | { id: number; kind: 'stats' }
  | { id: number; kind: 'close' }

export interface WorkerStats {
  tenants: number
  memoryBytes: number
}

export type WorkerAnswer =
  | { id: number; value: unknown }
  /** As the worker describes it to the engine. */
  | { id: number; error: unknown }
  /** Nobody waits for it, and it is over: others may have its turn. */
  | { id: number; isCancelled: true }
  /** The index has to be built first; it is there, and the search itself begins. */
  | { id: number; phase: 'building' | 'searching' }
  | { problem: { message: string; error: string } }
