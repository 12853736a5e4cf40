import { NONE } from './string-table.js'
import type { WordIndex } from './word-index.js'

export interface IndexFilter {
  /** Absent: all. */
  scopes?: readonly string[]
  refPrefix?: string
  /** What is compared with others is not among them. */
  exceptRef?: string
  /** One of each group must hold: `[['status:todo', 'status:done'], ['label:db']]`. */
  facets?: readonly (readonly string[])[]
  /** Milliseconds. A document without the date never passes. */
  dueBefore?: number
  dueAfter?: number
  updatedAfter?: number
}

export type Accepts = (document: number) => boolean

const encoder = new TextEncoder()

const scopeFilter = (index: WordIndex, scopes: readonly string[]): Accepts => {
  const { documents } = index
  const isAllowed = new Uint8Array(documents.scopes.count)
  for (const scope of scopes) {
    const id = documents.scopes.find(scope)
    if (id !== NONE) isAllowed[id] = 1
  }
  return (document) => isAllowed[documents.scopeOf(document)] === 1
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

/** The filter as one question about a document; undefined where everything passes. */
export const compileFilter = (index: WordIndex, filter: IndexFilter): Accepts | undefined => {
  const { documents } = index
  const tests: Accepts[] = []
  if (filter.scopes) tests.push(scopeFilter(index, filter.scopes))
  if (filter.facets?.length) tests.push(facetFilter(index, filter.facets))
  const { refPrefix, dueBefore, dueAfter, updatedAfter } = filter
  if (dueBefore !== undefined) tests.push((document) => documents.dueOf(document) < dueBefore)
  if (dueAfter !== undefined) tests.push((document) => documents.dueOf(document) > dueAfter)
  if (updatedAfter !== undefined) tests.push((document) => documents.updatedOf(document) > updatedAfter)
  if (refPrefix) {
    const prefix = encoder.encode(refPrefix)
    tests.push((document) => documents.refs.startsWith(documents.refOf(document), prefix))
  }
  if (filter.exceptRef !== undefined) {
    const except = documents.refs.find(filter.exceptRef)
    tests.push((document) => documents.refOf(document) !== except)
  }
  if (tests.length < 2) return tests[0]
  return (document) => tests.every((test) => test(document))
}
