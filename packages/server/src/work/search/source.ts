import type { Collection } from 'worklore-search'

/** The collections that are searched, by the names under which their vectors are stored. */
export type SourceKind = 'task' | 'knowledge'
/** Those, and what is searched by words alone. */
export type CollectionName = SourceKind | 'comment'

/** A document as the log names it. */
export interface Subject {
  project_id: string
  subject: string
}

interface ChangedSubject extends Subject {
  changed_at: number
}

/** What a feature hands to search: documents for the index, and texts to embed. */
export interface SearchSource extends Collection {
  refOf(subject: Subject): string
  /** What of a ref is the log's subject. */
  subjectOf(ref: string): string
  /** In the order of their names. */
  readSubjects(tenantId: string, after: Subject | undefined, count: number): Promise<ChangedSubject[]>
  /** The text that is embedded for a document; undefined where it is gone. */
  readTextToEmbed(tenantId: string, subject: Subject): Promise<string | undefined>
}

export type SearchSources = ReadonlyMap<SourceKind, SearchSource>
