import type { Db } from '../../db/port.js'
import type { Embedder } from '../embedding/embedder.js'
import { quantizeVector } from '../embedding/vectors.js'
import { nextChange } from './position-store.js'
import { finishJob, type Job } from './queue-store.js'
import type { Shelf } from './subject.js'
import { hashOf, partsOf, textOf } from './texts.js'
import { deleteVectors, hashOfEmbedded, saveVectors } from './vector-store.js'

const joined = (vectors: readonly Float32Array[]): Uint8Array => {
  const rows = vectors.map(quantizeVector)
  return Buffer.concat(rows.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)))
}

/**
 * Makes the vectors of one record what its text asks for, and takes it off the list in the same transaction: a crash
 * before leaves it on the list, and a change meanwhile puts it there again. Answers whether a text was embedded.
 */
export const embedJob = async (db: Db, embedder: Embedder, job: Job, claim: string): Promise<boolean> => {
  const { model } = embedder
  const shelf: Shelf = { tenantId: job.tenant_id, model }
  const text = await textOf(db, job)
  if (text === undefined) {
    await db.transaction(async (tx) => {
      if (await finishJob(tx, model, job, claim)) await deleteVectors(tx, shelf, job)
    })
    return false
  }
  const parts = partsOf(text, embedder.isEnglishOnly)
  const textHash = hashOf(parts)
  if (textHash === (await hashOfEmbedded(db, shelf, job))) {
    await finishJob(db, model, job, claim)
    return false
  }
  const vectors = joined(await embedder.embed(parts))
  return db.transaction(async (tx) => {
    // Vectors can be made again: nobody waits for the disk.
    await tx.get(`select ${tx.dialect.commitSoon}`)
    if (!(await finishJob(tx, model, job, claim))) return false
    const change = await nextChange(tx, shelf)
    if (change === undefined) return false
    await saveVectors(tx, shelf, job, { textHash, windows: parts.length, change, vectors })
    return true
  })
}
