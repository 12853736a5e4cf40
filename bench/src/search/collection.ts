import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Query {
  id: string
  text: string
  /** Grades of documents by their id, those above 0. */
  grades: ReadonlyMap<string, number>
}

export interface Collection {
  name: string
  documents: readonly { id: string; content: string; title: string; text: string }[]
  /** Those with at least one right document. */
  queries: readonly Query[]
}

const lines = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')

const readGrades = (path: string): Map<string, Map<string, number>> => {
  const grades = new Map<string, Map<string, number>>()
  for (const line of lines(path)) {
    const [query = '', document = '', grade] = line.split('\t')
    // A heading has no number there.
    if (!(Number(grade) > 0)) continue
    if (!grades.has(query)) grades.set(query, new Map())
    grades.get(query)!.set(document, Number(grade))
  }
  return grades
}

/** A collection in the layout of BEIR. A document is its title on the first line, then its text. */
export const readCollection = (name: string, folder: string): Collection => {
  const records = (file: string) =>
    lines(join(folder, file)).map((line) => JSON.parse(line) as { _id: string; title?: string; text: string })
  const grades = readGrades(join(folder, 'qrels.tsv'))
  return {
    name,
    documents: records('corpus.jsonl').map(({ _id, title = '', text }) => ({
      id: _id,
      content: title ? `${title}\n${text}` : text,
      title,
      text,
    })),
    queries: records('queries.jsonl')
      .map(({ _id, text }) => ({ id: _id, text, grades: grades.get(_id) ?? new Map<string, number>() }))
      .filter((query) => query.grades.size > 0),
  }
}
