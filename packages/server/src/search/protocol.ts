import type { StoreSettings } from '../db/open.js'
import type { ErrorCode, ErrorExtras } from '../errors.js'
import type { ScoreParts } from './fuse.js'

/** A list of values means any of them; times are milliseconds. */
export interface TaskSearchFilters {
  /** Null is every project. */
  projectIds: readonly string[] | null
  statuses?: readonly string[]
  /** Users' ids, and `none` for tasks of no one. */
  assigneeIds?: readonly string[]
  priorities?: readonly number[]
  labels?: readonly string[]
  dueBeforeMs?: number
  dueAfterMs?: number
  updatedAfterMs?: number
}

export interface TaskSearch {
  text: string
  filters: TaskSearchFilters
  /** The best so many count, and of these the ones from here to there are wanted. */
  top: number
  from: number
  to: number
  isExplained?: boolean
}

export interface KnowledgeSearch {
  text: string
  /** Projects' ids, and the empty text for what is tenant-wide; null is all. */
  scopes: readonly string[] | null
  prefix?: string | undefined
  limit: number
  minScore?: number | undefined
  isExplained?: boolean
}

/** The hits that were wanted, how many there are (up to one more than count), and whether meaning had a part in it. */
export interface Found<T> {
  hits: T[]
  total: number
  isSemantic: boolean
}

export interface FoundTask {
  id: string
  score: number
  /** Where the search asked for it. */
  explain?: ScoreParts | undefined
}

export interface FoundItem {
  key: string
  /** Empty for what is tenant-wide. */
  projectId: string
  updatedAtMs: number
  /** A JSON string literal, as it is stored. */
  content: string
  /** HTML whose only tag is `<mark>`. */
  snippet: string
  score: number
  explain?: ScoreParts | undefined
}

export interface WorkerSettings {
  store: StoreSettings
  memoryBytes: number
  snapshotLeast: number
  /** Of the vectors to search by; undefined where search goes by words alone. */
  model: string | undefined
}

export type WorkerRequest =
  | { id: number; kind: 'tasks'; tenantId: string; awaitsMeaning: boolean; search: TaskSearch }
  | { id: number; kind: 'knowledge'; tenantId: string; awaitsMeaning: boolean; search: KnowledgeSearch }
  /** Follows a search that is to go by meaning too; without a vector where there is none in time. */
  | { id: number; kind: 'meaning'; vector: Float32Array | undefined }
  | { id: number; kind: 'stats' }
  | { id: number; kind: 'close' }

export interface WorkerStats {
  tenants: number
  memoryBytes: number
}

export type WorkerAnswer =
  | { id: number; value: unknown }
  | { id: number; error: { message: string; code?: ErrorCode; extras?: ErrorExtras } }
  | { problem: { message: string; error: string } }
