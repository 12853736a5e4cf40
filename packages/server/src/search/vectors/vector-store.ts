import type { Sql } from '../../db/port.js'
import type { EmbeddedKind, Shelf, Subject } from './subject.js'

export interface StoredVectors extends Subject {
  windows: number
  change: number
  vectors: Uint8Array
}

/** By the number of the document that they were asked for. */
export interface DocumentVectors {
  document: number
  windows: number
  vectors: Uint8Array
}

const named = 'tenant_id = ? and model = ? and kind = ? and project_id = ? and subject = ?'

const nameParams = ({ tenantId, model }: Shelf, { kind, project_id, subject }: Subject) => [
  tenantId,
  model,
  kind,
  project_id,
  subject,
]

export const hashOfEmbedded = async (db: Sql, shelf: Shelf, subject: Subject): Promise<string | undefined> =>
  (await db.get<{ text_hash: string }>(`select text_hash from embeddings where ${named}`, nameParams(shelf, subject)))
    ?.text_hash

export const saveVectors = async (
  db: Sql,
  shelf: Shelf,
  subject: Subject,
  { textHash, windows, change, vectors }: { textHash: string; windows: number; change: number; vectors: Uint8Array },
): Promise<void> => {
  await db.run(
    `insert into embeddings (tenant_id, model, kind, project_id, subject, text_hash, windows, change, vectors)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, model, kind, project_id, subject) do update set
       text_hash = excluded.text_hash, windows = excluded.windows, change = excluded.change,
       vectors = excluded.vectors`,
    [...nameParams(shelf, subject), textHash, windows, change, vectors],
  )
}

export const deleteVectors = async (db: Sql, shelf: Shelf, subject: Subject): Promise<void> => {
  await db.run(`delete from embeddings where ${named}`, nameParams(shelf, subject))
}

/** In the order in which they were made. */
export const vectorsAfter = async (
  db: Sql,
  { tenantId, model }: Shelf,
  change: number,
  count: number,
): Promise<StoredVectors[]> =>
  db.all(
    `select kind, project_id, subject, windows, change, vectors from embeddings
     where tenant_id = ? and model = ? and change > ? order by change limit ?`,
    [tenantId, model, change, count],
  )

export const vectorsOf = async (
  db: Sql,
  { tenantId, model }: Shelf,
  kind: EmbeddedKind,
  places: readonly (Pick<Subject, 'project_id' | 'subject'> & { document: number })[],
): Promise<DocumentVectors[]> =>
  db.all(
    `select given.document, e.windows, e.vectors
     from ${db.dialect.rowsOf({ document: 'bigint', project_id: 'text', subject: 'text' })}
     cross join embeddings e
     where e.tenant_id = ? and e.model = ? and e.kind = ? and e.project_id = given.project_id
       and e.subject = given.subject`,
    [JSON.stringify(places), tenantId, model, kind],
  )

/** Records with vectors, in the order of their names. */
export const embeddedAfter = async (
  db: Sql,
  { tenantId, model }: Shelf,
  after: Subject | undefined,
  count: number,
): Promise<Subject[]> =>
  db.all(
    `select kind, project_id, subject from embeddings
     where tenant_id = ? and model = ? and (kind, project_id, subject) > (?, ?, ?)
     order by kind, project_id, subject limit ?`,
    [tenantId, model, after?.kind ?? '', after?.project_id ?? '', after?.subject ?? '', count],
  )
