import type { SourceKind } from '../../../work/search/source.js'

/** One tenant's vectors of one model, and the queue of what is still to be embedded for it. */
export interface VectorSet {
  tenantId: string
  model: string
}

/** A document that is embedded. */
export interface EmbeddedSubject {
  kind: SourceKind
  /** The id of the record. */
  subject: string
}
