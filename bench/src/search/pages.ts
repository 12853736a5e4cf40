import type { Collection, Query } from './collection.js'

/** Where a document stands in the page that it was put into. */
export interface Section {
  page: string
  start: number
  end: number
}

export interface Pages extends Collection {
  sections: ReadonlyMap<string, Section>
  /** Of each query, by the ids of the documents. */
  answers: ReadonlyMap<string, readonly string[]>
}

const DOCUMENTS_PER_PAGE = 40
/** Pages take long to embed, and their passages long to find. */
const MAX_QUERIES = 400

/** Long pages put together from documents with titles, each a section under its title. */
export const joinPages = ({ name, documents, queries }: Collection): Pages => {
  const sections = new Map<string, Section>()
  const pages: { id: string; content: string; title: string; text: string }[] = []
  for (let at = 0; at < documents.length; at += DOCUMENTS_PER_PAGE) {
    const page = `page-${pages.length + 1}`
    let content = `# Handbook ${pages.length + 1}\n\n`
    for (const { id, title, text } of documents.slice(at, at + DOCUMENTS_PER_PAGE)) {
      const start = content.length
      content += `## ${title}\n\n${text}\n\n`
      sections.set(id, { page, start, end: content.length })
    }
    pages.push({ id: page, content, title: '', text: content })
  }
  const asked = queries.slice(0, MAX_QUERIES)
  const pageOf = ({ grades }: Query) => new Map([...grades].map(([id, grade]) => [sections.get(id)!.page, grade]))
  return {
    name: `${name} pages`,
    documents: pages,
    queries: asked.map((query) => ({ ...query, grades: pageOf(query) })),
    sections,
    answers: new Map(asked.map(({ id, grades }) => [id, [...grades.keys()]])),
  }
}

export const isPages = (collection: Collection): collection is Pages => 'sections' in collection

export interface ShownPassage {
  start: number
  end: number
}

/** Whether most of a passage is in an answering section of its page. */
export const isAnswering = ({ sections, answers }: Pages, query: string, page: string, { start, end }: ShownPassage) =>
  answers.get(query)!.some((id) => {
    const section = sections.get(id)!
    const shared = Math.min(end, section.end) - Math.max(start, section.start)
    return section.page === page && shared > 0.5 * Math.min(end - start, section.end - section.start)
  })
