import { NONE } from './string-table.js'
import { coveredScopes } from './term-statistics.js'
import type { WordIndex } from './word-index.js'

export interface IndexFilter {
  /** Absent: all. */
  scopes?: readonly string[]
  /** None of these. */
  exceptScopes?: readonly string[]
  /** Prefix of the documents' names. */
  namePrefix?: string
  /** Ref of a document to leave out, such as the document that others are compared with. */
  exceptRef?: string
  /** At least one facet of each group must match: `[['status:todo', 'status:done'], ['label:db']]`. */
  facets?: readonly (readonly string[])[]
  /** None of these may hold. */
  withoutFacets?: readonly string[]
  /** Milliseconds. A document without the date never passes. */
  dueBefore?: number
  dueAfter?: number
  updatedAfter?: number
  /** Milliseconds. Documents that are due by then do not pass; those without the date do. */
  notDueAt?: number
  /**
   * Whether a document that was replaced is answered by the end of its chain. Facets and dates are then those of the
   * answer, `exceptRef` is neither of the two, and the rest is about the document that matched.
   */
  followsSuccessors?: boolean
}

export type Accepts = (document: number) => boolean

const encoder = new TextEncoder()

const scopeFilter = (index: WordIndex, filter: IndexFilter): Accepts | undefined => {
  if (filter.scopes === undefined && filter.exceptScopes === undefined) return undefined
  const covered = coveredScopes(index, filter)
  const { scopeOf } = index.documents
  return (document) => covered[scopeOf(document)] === 1
}

const noFacetFilter = (index: WordIndex, facets: readonly string[]): Accepts | undefined => {
  const terms = facets.map((facet) => index.facets.find(facet)).filter((term) => term !== NONE)
  if (terms.length === 0) return undefined
  const isExcluded = new Uint8Array(index.documents.count)
  for (const term of terms) {
    index.facetPostings.visit(term, (cells, start, end) => {
      for (let at = start; at < end; at++) isExcluded[cells[at]! >>> 8] = 1
    })
  }
  return (document) => isExcluded[document] === 0
}

const facetFilter = (index: WordIndex, groups: readonly (readonly string[])[]): Accepts => {
  const met = new Uint8Array(index.documents.count)
  for (const [passed, group] of groups.entries()) {
    for (const facet of group) {
      const term = index.facets.find(facet)
      if (term === NONE) continue
      index.facetPostings.visit(term, (cells, start, end) => {
        for (let at = start; at < end; at++) {
          const document = cells[at]! >>> 8
          if (met[document] === passed) met[document] = passed + 1
        }
      })
    }
  }
  return (document) => met[document] === groups.length
}

const joined = (tests: readonly (Accepts | undefined)[]): Accepts | undefined => {
  const present = tests.filter((test) => test !== undefined)
  if (present.length < 2) return present[0]
  return (document) => present.every((test) => test(document))
}

/** What is asked of the document that is answered. */
const answerFilter = (index: WordIndex, filter: IndexFilter): Accepts | undefined => {
  const { documents } = index
  const { facets = [], withoutFacets = [], dueBefore, dueAfter, updatedAfter, notDueAt } = filter
  return joined([
    facets.length > 0 ? facetFilter(index, facets) : undefined,
    noFacetFilter(index, withoutFacets),
    dueBefore === undefined ? undefined : (document) => documents.dueOf(document) < dueBefore,
    dueAfter === undefined ? undefined : (document) => documents.dueOf(document) > dueAfter,
    updatedAfter === undefined ? undefined : (document) => documents.updatedOf(document) > updatedAfter,
    notDueAt === undefined || !documents.hasDates ? undefined : (document) => !(documents.dueOf(document) <= notDueAt),
  ])
}

const exceptFilter = ({ documents }: WordIndex, ref: string): Accepts => {
  const except = documents.refs.find(ref)
  return (document) => documents.refOf(document) !== except
}

/** Whether documents may be answered by others. */
export const areChainsFollowed = ({ documents }: WordIndex, { followsSuccessors = false }: IndexFilter): boolean =>
  followsSuccessors && documents.hasSuccessors

/** The filter as one question about a document; undefined where everything passes. */
export const compileFilter = (
  index: WordIndex,
  filter: IndexFilter,
  onMissingSuccessor: () => void = () => {},
): Accepts | undefined => {
  const { documents } = index
  const { namePrefix, exceptRef } = filter
  const prefix = namePrefix ? encoder.encode(namePrefix) : undefined
  const isOther = exceptRef === undefined ? undefined : exceptFilter(index, exceptRef)
  const ofMatch = joined([
    scopeFilter(index, filter),
    prefix && ((document) => documents.nameStartsWith(document, prefix)),
    isOther,
  ])
  const ofAnswer = answerFilter(index, filter)
  if (!areChainsFollowed(index, filter)) return joined([ofMatch, ofAnswer])
  const ofEnd = joined([isOther, ofAnswer])
  return (document) => {
    if (ofMatch && !ofMatch(document)) return false
    const end = documents.endOf(document)
    if (end === NONE) onMissingSuccessor()
    return end !== NONE && (ofEnd === undefined || ofEnd(end))
  }
}

/** What is known of a document that was read after it was found. */
export interface FilteredFields {
  facets: readonly string[]
  /** NaN where there is none. */
  due: number
}

/** Whether a document that passed the filter still has the facets and the date that are asked for. */
export const stillPasses = (filter: IndexFilter, { facets, due }: FilteredFields): boolean => {
  const { facets: groups = [], withoutFacets = [], notDueAt = Number.NEGATIVE_INFINITY } = filter
  return (
    groups.every((group) => group.some((facet) => facets.includes(facet))) &&
    !withoutFacets.some((facet) => facets.includes(facet)) &&
    !(due <= notDueAt)
  )
}
