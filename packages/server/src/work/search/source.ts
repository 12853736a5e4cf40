import type { Collection } from 'worklore-search'

/** The collections that are searched, by the names under which their vectors are stored. */
export type SourceKind = 'task' | 'knowledge'
/** Those, and what is searched by words alone. */
export type CollectionName = SourceKind | 'comment'

/** A document that may have to be embedded, by the id of its record. */
interface ChangedSubject {
  subject: string
  changed_at: number
}

/** What a feature provides for search: documents for the index, whose refs are the ids of records, and texts to embed. */
export interface SearchSource extends Collection {
  /** Returns the next subjects after an ID, in ID order. */
  readSubjects(tenantId: string, after: string, count: number): Promise<ChangedSubject[]>
  /** Returns the text that is embedded for a document; undefined if the document does not exist. */
  readTextToEmbed(tenantId: string, id: string): Promise<string | undefined>
}

export type SearchSources = ReadonlyMap<SourceKind, SearchSource>
