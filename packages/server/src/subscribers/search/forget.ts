import type { Call } from '../../operations/call.js'
import { deleteSnapshots } from './snapshot-store.js'
import type { EmbeddedSubject } from './vectors/vector-set.js'
import { deleteVectorsOf } from './vectors/vector-store.js'

/** Deletes the vectors of purged documents. */
export const forgetDocuments = ({ db, actor }: Call, documents: readonly EmbeddedSubject[]): Promise<void> =>
  deleteVectorsOf(db, actor.tenantId, documents)

/** Deletes the stored indexes of the tenant, in which the words of purged documents may be; they are made again. */
export const forgetSnapshots = ({ db, actor }: Call): Promise<void> => deleteSnapshots(db, actor.tenantId)
