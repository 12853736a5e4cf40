import type { FilteredFields } from '../index/filter.js'
import type { IndexedDocument } from '../index/word-index.js'
import type { DocumentName } from '../ranking/search-index.js'
import type { DocumentVectors } from '../semantic/candidates.js'
import type { StoredSnapshot } from '../snapshot/tenant-snapshot.js'
import type { HitWithText } from './protocol.js'

/** What phrases are looked for in and snippets are cut from. */
export interface DocumentText {
  ref: string
  title: string
  body: string
  /** What stands before the body in the text that is embedded. */
  embeddedLead?: string
  /** Where searches may filter by them: compared with the filter again, as they may have changed since it was found. */
  filtered?: FilteredFields
  /** What else of the document its collection renders. */
  stored?: unknown
}

/** Documents of one kind, as their owner hands them to the index. */
export interface Collection {
  /** Returns possible document names in the text, such as an ID. */
  exactNames(text: string): readonly string[]
  /** Reads the current state of the documents that exist. */
  readForIndex(tenantId: string, names: readonly DocumentName[]): Promise<IndexedDocument[]>
  /** Reads the next documents in a stable order; with `scope`, only documents of that scope. */
  readPageForIndex(
    tenantId: string,
    after: DocumentName | undefined,
    count: number,
    scope?: string,
  ): Promise<IndexedDocument[]>
  readTexts(tenantId: string, names: readonly DocumentName[]): Promise<DocumentText[]>
  /** A hit as text, which costs less to send to another thread than an object. */
  renderHit?(hit: HitWithText): string
}

export interface LogEntry {
  sequence: number
  id: string
  changed?: readonly (DocumentName & { collection: string })[]
  removedScope?: string
  /** A scope whose documents were restored. */
  addedScope?: string
}

/** The log of a tenant's changes, numbered without gaps. */
export interface ChangeLog {
  /** The newest number, and the id of the entry at `sequence` where it is still kept; undefined for no tenant. */
  state(tenantId: string, sequence: number): Promise<{ newest: number; entryId: string | null } | undefined>
  readAfter(tenantId: string, sequence: number, count: number): Promise<LogEntry[]>
}

export interface ChangedVectors {
  collection: string
  ref: string
  windows: number
  change: number
  vectors: Uint8Array
}

/** The vectors of one model, whose changes are numbered for each tenant. */
export interface VectorStore {
  readonly model: string
  lastChange(tenantId: string): Promise<number>
  /** How many texts wait to be embedded, counted to `most`. */
  countWaiting(tenantId: string, most: number): Promise<number>
  readAfter(tenantId: string, change: number, count: number): Promise<ChangedVectors[]>
  read(
    tenantId: string,
    collection: string,
    documents: readonly (DocumentName & { document: number })[],
  ): Promise<DocumentVectors[]>
}

export interface SnapshotStore {
  read(tenantId: string): Promise<StoredSnapshot | undefined>
  /** Takes its time unless it is urgent. */
  write(tenantId: string, snapshot: StoredSnapshot, isUrgent: () => boolean): Promise<void>
}

/** What the engine asks of the service around it. */
export interface SearchPorts {
  collections: ReadonlyMap<string, Collection>
  log: ChangeLog
  /** Absent: search goes by words alone. */
  vectors?: VectorStore | undefined
  snapshots: SnapshotStore
}
