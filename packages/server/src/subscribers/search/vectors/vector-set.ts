import type { SourceKind, Subject } from '../../../work/search/source.js'

/** One tenant's vectors of one model, and the queue of what is still to be embedded for it. */
export interface VectorSet {
  tenantId: string
  model: string
}

/** A document that is embedded. */
export interface EmbeddedSubject extends Subject {
  kind: SourceKind
}
