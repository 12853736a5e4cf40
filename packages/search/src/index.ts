export type { IndexFilter } from './index/filter.js'
export type { IndexedDocument } from './index/word-index.js'
export type { Passage } from './passages/best-passages.js'
export type { ScoreParts } from './ranking/hybrid-score.js'
export type { DocumentName } from './ranking/search-index.js'
export type { DocumentVectors } from './semantic/candidates.js'
export type { Embedder } from './semantic/embedder.js'
export { createLocalEmbedder } from './semantic/local-embedder.js'
export { minilmModel } from './semantic/minilm-model.js'
export {
  createQueryEmbedder,
  type QueryEmbedder,
  type QueryEmbedderOptions,
  type QueryVector,
} from './semantic/query-embedder.js'
export { createRemoteEmbedder } from './semantic/remote-embedder.js'
export { quantizeVector } from './semantic/vectors.js'
export { windows } from './semantic/windows.js'
export type { StoredSnapshot } from './snapshot/tenant-snapshot.js'
export { isMostlyLatin } from './text/language.js'
export { isStopPhrase } from './text/query.js'
export { plainSnippet } from './text/snippet.js'
export { type Caller, createSearchEngine, type SearchEngine, type Unavailability } from './worker/engine.js'
export type {
  ChangedVectors,
  ChangeLog,
  Collection,
  DocumentText,
  LogEntry,
  SearchPorts,
  SnapshotStore,
  VectorStore,
} from './worker/ports.js'
export type { Found, Hit, HitWithText, Search } from './worker/protocol.js'
