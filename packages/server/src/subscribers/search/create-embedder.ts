import { createLocalEmbedder, createRemoteEmbedder, type Embedder } from 'worklore-search'
import type { Config } from '../../config.js'

type EmbedderSettings = Pick<Config, 'embeddings' | 'embeddingsModel' | 'embeddingsKey' | 'embeddingThreads'>

/** Both `…/v1` and `…/v1/embeddings` are ways to write the address. */
const endpointOf = (address: string): string => {
  const url = new URL(address)
  if (!url.pathname.endsWith('/embeddings')) url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`
  return url.href
}

/** The embedder that the settings name; undefined where it is turned off. Nothing is loaded before the first text. */
export const createEmbedder = (settings: EmbedderSettings): Embedder | undefined => {
  const { embeddings, embeddingsModel, embeddingsKey, embeddingThreads: threads } = settings
  if (embeddings === 'off') return undefined
  if (embeddings === 'local') return createLocalEmbedder({ threads })
  return createRemoteEmbedder({
    url: endpointOf(embeddings),
    model: embeddingsModel ?? '',
    ...(embeddingsKey !== undefined && { apiKey: embeddingsKey }),
  })
}
