import { setTimeout as sleep } from 'node:timers/promises'
import type { Embedder, EmbeddingPriority } from './embedder.js'

export interface RemoteEmbedderOptions {
  /** The whole address, as in https://api.openai.com/v1/embeddings or http://localhost:11434/v1/embeddings. */
  url: string
  model: string
  apiKey?: string
  batchSize?: number
  timeoutMs?: number
  /** Waited before the first retry, twice as long before each that follows. */
  backoffMs?: number
}

interface Answer {
  data: { index: number; embedding: number[] }[]
}

// Somebody waits for a query, and words alone can answer it; a background text has time.
const ATTEMPTS: Record<EmbeddingPriority, number> = { query: 2, background: 5 }
const LONGEST_WAIT_MS = 30_000

type Outcome = { vectors: Float32Array[] } | { reason: string; isLasting: boolean; waitMs?: number }

const unit = (values: number[]): Float32Array => {
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => value / (length || 1))
}

const readVectors = (answer: Answer, count: number): Float32Array[] => {
  const ordered = [...(answer.data ?? [])].sort((a, b) => a.index - b.index)
  const isWhole = ordered.length === count && ordered.every((each) => Array.isArray(each.embedding))
  if (!isWhole) throw new Error(`${ordered.length} vectors for ${count} texts`)
  return ordered.map((each) => unit(each.embedding))
}

const waitOf = (response: Response): number | undefined => {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : undefined
}

/** Any endpoint that speaks OpenAI's /embeddings: OpenAI, Ollama, text-embeddings-inference and others. */
export const createRemoteEmbedder = (options: RemoteEmbedderOptions): Embedder => {
  const { url, model, apiKey, batchSize = 32, timeoutMs = 15_000, backoffMs = 500 } = options
  const closing = new AbortController()
  let dimensions: number | undefined

  const attempt = async (texts: string[]): Promise<Outcome> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
        body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
        // A redirect would carry the key to an address nobody configured.
        redirect: 'error',
      })
      if (response.ok) return { vectors: readVectors((await response.json()) as Answer, texts.length) }
      await response.body?.cancel()
      const waitMs = waitOf(response)
      const isLasting = response.status !== 429 && response.status < 500
      return { reason: `it answered ${response.status}`, isLasting, ...(waitMs !== undefined && { waitMs }) }
    } catch (error) {
      const { message, cause } = error as Error
      return { reason: cause instanceof Error ? cause.message : message, isLasting: false }
    }
  }

  const embedBatch = async (texts: string[], priority: EmbeddingPriority): Promise<Float32Array[]> => {
    for (let tried = 1; ; tried++) {
      closing.signal.throwIfAborted()
      const outcome = await attempt(texts)
      if ('vectors' in outcome) return outcome.vectors
      if (outcome.isLasting || tried >= ATTEMPTS[priority]) {
        throw new Error(`the embeddings endpoint at ${new URL(url).host} failed: ${outcome.reason}`)
      }
      const waitMs = outcome.waitMs ?? backoffMs * 2 ** (tried - 1)
      await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  return {
    model,
    isEnglishOnly: false,
    batchSize,
    get dimensions() {
      return dimensions
    },
    async embed(texts, priority = 'background') {
      const vectors: Float32Array[] = []
      for (let from = 0; from < texts.length; from += batchSize) {
        vectors.push(...(await embedBatch(texts.slice(from, from + batchSize), priority)))
      }
      dimensions ??= vectors[0]?.length
      return vectors
    },
    async close() {
      closing.abort(new Error('the embedder is closed'))
    },
  }
}
