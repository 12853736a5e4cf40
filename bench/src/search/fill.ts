import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../requests.js'
import type { Collection } from './collection.js'

const AT_ONCE = 16
const LOOK_EVERY_MS = 1_000
/** Vectors are in the index within two seconds. */
const SEEN_AFTER_MS = 2_500

const keyOf = (id: string): string => `documents/${id}`
export const idOf = (key: string): string => key.slice('documents/'.length)

export const putDocuments = async (
  port: number,
  { documents }: Collection,
  onProgress: (done: number) => void,
): Promise<void> => {
  let next = 0
  let done = 0
  const putSome = async (): Promise<void> => {
    while (next < documents.length) {
      const { id, content } = documents[next++]!
      const path = `/v1/knowledge/${encodeURIComponent(keyOf(id))}`
      const { status, text } = await call(port, 'PUT', path, { content })
      if (status !== 201) throw new Error(`document ${id} was not taken: ${status} ${text}`)
      onProgress(++done)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, putSome))
}

/** Deletes every second document, and answers the ids of those that are left. */
export const deleteHalf = async (port: number, { documents }: Collection): Promise<Set<string>> => {
  for (const [at, { id }] of documents.entries()) {
    if (at % 2 === 0) continue
    const { status, text } = await call(port, 'DELETE', `/v1/knowledge/${encodeURIComponent(keyOf(id))}`)
    if (status !== 200) throw new Error(`document ${id} was not deleted: ${status} ${text}`)
  }
  return new Set(documents.filter((_, at) => at % 2 === 0).map(({ id }) => id))
}

const figure = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0)

export const waitUntilEmbedded = async (
  port: number,
  { documents }: Collection,
  onProgress: (done: number) => void,
): Promise<void> => {
  for (;;) {
    const metrics = (await call(port, 'GET', '/metrics')).text
    const embedded = figure(metrics, 'worklore_embedded_total')
    onProgress(Math.min(embedded, documents.length))
    if (embedded >= documents.length && figure(metrics, 'worklore_embedding_waiting') === 0) break
    await sleep(LOOK_EVERY_MS)
  }
  await call(port, 'GET', '/v1/knowledge/search?q=warm')
  await sleep(SEEN_AFTER_MS)
}
