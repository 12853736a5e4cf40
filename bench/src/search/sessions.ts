import type { Collection, Query } from './collection.js'
import { mean } from './measures.js'

/** Of a turn such as `26:D1:3`: what precedes its number. */
const sessionOf = (turn: string): string => turn.slice(0, turn.lastIndexOf(':'))

const isTurn = (id: string): boolean => /^[^:]+:[^:]+:\d+$/.test(id)

/** Whether its documents are turns of conversations. */
export const hasSessions = ({ documents }: Collection): boolean => documents.every(({ id }) => isTurn(id))

/** The same conversations with each session as one document, which is right where one of its turns is. */
export const joinSessions = ({ name, documents, queries }: Collection): Collection => {
  const contents = new Map<string, string>()
  for (const { id, title, text } of documents) {
    const session = sessionOf(id)
    contents.set(session, `${contents.get(session) ?? title}\n${text}`)
  }
  return {
    name: `${name} sessions`,
    documents: [...contents].map(([id, content]) => ({ id, content, title: '', text: content })),
    queries: queries.map((query) => ({
      ...query,
      grades: new Map([...query.grades.keys()].map((id) => [sessionOf(id), 1])),
    })),
  }
}

type Found = Readonly<Record<string, readonly string[]>>

const CUTS = [5, 10] as const

export const evidenceHead = [
  ...CUTS.flatMap((cut) => [`any@${cut}`, `all@${cut}`, `share@${cut}`]),
  'first',
  'MRR',
  'hits',
]

/** How much of the evidence the first hits hold: any of it, all of it, and what share; as a row of a table. */
export const evidenceFound = (queries: readonly Query[], found: Found): string[] => {
  const hitsOf = ({ id }: Query) => found[id] ?? []
  const rightIn = (query: Query, cut: number) =>
    hitsOf(query)
      .slice(0, cut)
      .filter((id) => query.grades.has(id)).length
  const reciprocal = (query: Query) => {
    const at = hitsOf(query).findIndex((id) => query.grades.has(id))
    return at < 0 ? 0 : 1 / (at + 1)
  }
  const of = (value: (query: Query) => number) => mean(queries.map(value))
  const figures = CUTS.flatMap((cut) => [
    of((query) => Math.min(1, rightIn(query, cut))),
    of((query) => Number(rightIn(query, cut) === query.grades.size)),
    of((query) => rightIn(query, cut) / query.grades.size),
  ])
  const all = [...figures, of((query) => rightIn(query, 1)), of(reciprocal)]
  return [...all.map((value) => value.toFixed(4)), of((query) => hitsOf(query).length).toFixed(1)]
}
