import { type Embedder, quantizeVector } from 'worklore-search'
import type { Db } from '../../../db/port.js'
import type { SearchSources } from '../../../work/search/source.js'
import { hashOfParts, partsToEmbed } from './embedded-text.js'
import { nextChange } from './position-store.js'
import { finishJob, type Job } from './queue-store.js'
import type { VectorSet } from './vector-set.js'
import { deleteVectors, hashOfEmbedded, saveVectors, saveWithoutWaiting } from './vector-store.js'

const joined = (vectors: readonly Float32Array[]): Uint8Array => {
  const rows = vectors.map(quantizeVector)
  return Buffer.concat(rows.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)))
}

/** A long text takes minutes: between batches others may go before it. */
const embedInBatches = async (embedder: Embedder, parts: string[], betweenBatches: () => Promise<void>) => {
  const vectors: Float32Array[] = []
  for (let at = 0; at < parts.length; at += embedder.batchSize) {
    if (at > 0) await betweenBatches()
    vectors.push(...(await embedder.embed(parts.slice(at, at + embedder.batchSize))))
  }
  return vectors
}

/**
 * Makes the vectors of one document what its text asks for, and takes it out of the queue in the same transaction: a
 * crash before leaves it there, and a change meanwhile puts it there again. Answers the number of the change if a text
 * was embedded.
 */
export const embedJob = async (
  db: Db,
  sources: SearchSources,
  embedder: Embedder,
  job: Job,
  claim: string,
  betweenBatches: () => Promise<void>,
): Promise<number | undefined> => {
  const { model } = embedder
  const set: VectorSet = { tenantId: job.tenant_id, model }
  const text = await sources.get(job.kind)!.readTextToEmbed(job.tenant_id, job.subject)
  if (text === undefined) {
    await db.transaction(async (tx) => {
      if (await finishJob(tx, model, job, claim)) await deleteVectors(tx, set, job)
    })
    return undefined
  }
  const parts = partsToEmbed(text, embedder.isEnglishOnly)
  const textHash = hashOfParts(parts)
  if (textHash === (await hashOfEmbedded(db, set, job))) {
    await finishJob(db, model, job, claim)
    return undefined
  }
  const vectors = joined(await embedInBatches(embedder, parts, betweenBatches))
  return db.transaction(async (tx) => {
    await saveWithoutWaiting(tx)
    if (!(await finishJob(tx, model, job, claim))) return undefined
    const change = await nextChange(tx, set)
    if (change !== undefined) await saveVectors(tx, set, job, { textHash, windows: parts.length, change, vectors })
    return change
  })
}
