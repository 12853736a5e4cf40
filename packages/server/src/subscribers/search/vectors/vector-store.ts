import type { DocumentVectors } from 'worklore-search'
import type { Sql } from '../../../db/port.js'
import type { SourceKind } from '../../../work/search/source.js'
import type { EmbeddedSubject, VectorSet } from './vector-set.js'

interface StoredVectors extends EmbeddedSubject {
  windows: number
  change: number
  vectors: Uint8Array
}

const named = 'tenant_id = ? and model = ? and kind = ? and subject = ?'

const nameParams = ({ tenantId, model }: VectorSet, { kind, subject }: EmbeddedSubject) => [
  tenantId,
  model,
  kind,
  subject,
]

/** Vectors can be made again: the transaction that saves them need not wait for the disk. */
export const saveWithoutWaiting = async (tx: Sql): Promise<void> => {
  await tx.get(`select ${tx.dialect.commitSoon}`)
}

export const hashOfEmbedded = async (db: Sql, set: VectorSet, subject: EmbeddedSubject): Promise<string | undefined> =>
  (await db.get<{ text_hash: string }>(`select text_hash from embeddings where ${named}`, nameParams(set, subject)))
    ?.text_hash

export const saveVectors = async (
  db: Sql,
  set: VectorSet,
  subject: EmbeddedSubject,
  { textHash, windows, change, vectors }: { textHash: string; windows: number; change: number; vectors: Uint8Array },
): Promise<void> => {
  await db.run(
    `insert into embeddings (tenant_id, model, kind, subject, text_hash, windows, change, vectors)
     values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, model, kind, subject) do update set
       text_hash = excluded.text_hash, windows = excluded.windows, change = excluded.change,
       vectors = excluded.vectors`,
    [...nameParams(set, subject), textHash, windows, change, vectors],
  )
}

export const deleteVectors = async (db: Sql, set: VectorSet, subject: EmbeddedSubject): Promise<void> => {
  await db.run(`delete from embeddings where ${named}`, nameParams(set, subject))
}

/** In the order in which they were made. */
export const vectorsAfter = async (
  db: Sql,
  { tenantId, model }: VectorSet,
  change: number,
  count: number,
): Promise<StoredVectors[]> =>
  db.all(
    `select kind, subject, windows, change, vectors from embeddings
     where tenant_id = ? and model = ? and change > ? order by change limit cast(? as bigint)`,
    [tenantId, model, change, count],
  )

export const vectorsOf = async (
  db: Sql,
  { tenantId, model }: VectorSet,
  kind: SourceKind,
  subjects: readonly { document: number; subject: string }[],
): Promise<DocumentVectors[]> =>
  db.all(
    `select given.document, e.windows, e.vectors
     from ${db.dialect.rowsOf({ document: 'bigint', subject: 'text' })}
     cross join embeddings e
     where e.tenant_id = ? and e.model = ? and e.kind = ? and e.subject = given.subject`,
    [JSON.stringify(subjects), tenantId, model, kind],
  )

/** Of one tenant, counted to `most`. */
export const countEmbedded = async (db: Sql, { tenantId, model }: VectorSet, most: number): Promise<number> => {
  const row = await db.get<{ count: number }>(
    `select count(*) as count from (
       select 1 as one from embeddings where tenant_id = ? and model = ? limit cast(? as bigint)
     ) embedded`,
    [tenantId, model, most],
  )
  return row?.count ?? 0
}

/** Documents with vectors, in the order of their names. */
export const embeddedAfter = async (
  db: Sql,
  { tenantId, model }: VectorSet,
  after: EmbeddedSubject | undefined,
  count: number,
): Promise<EmbeddedSubject[]> =>
  db.all(
    `select kind, subject from embeddings where tenant_id = ? and model = ? and (kind, subject) > (?, ?)
     order by kind, subject limit cast(? as bigint)`,
    [tenantId, model, after?.kind ?? '', after?.subject ?? '', count],
  )

/** Of documents that are purged, whichever model made them. */
export const deleteVectorsOf = async (
  db: Sql,
  tenantId: string,
  documents: readonly EmbeddedSubject[],
): Promise<void> => {
  const models = await db.all<{ model: string }>('select model from embedding_positions where tenant_id = ?', [
    tenantId,
  ])
  for (const { model } of models) for (const each of documents) await deleteVectors(db, { tenantId, model }, each)
}
