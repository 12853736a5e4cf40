import { hasMeaning, isMostlyDense } from '../language.js'
import type { Embedder } from './embedder.js'

export interface QueryEmbedder {
  readonly model: string
  /** The query's vector; undefined where it says nothing to the model, or the model does not answer in time. */
  embed(query: string): Promise<Float32Array | undefined>
}

export interface QueryEmbedderOptions {
  /** Long enough for a model that has to be loaded first. */
  maxWaitMs?: number
  /** After a failure or a long wait, searches do not wait for so long. */
  restMs?: number
}

// A page of a result asks for the same query as the page before it.
const REMEMBERED = 500

/** Queries are embedded while somebody waits, so that a model that is away or slow costs one of them little. */
export const createQueryEmbedder = (embedder: Embedder, options: QueryEmbedderOptions = {}): QueryEmbedder => {
  const { maxWaitMs = 1_000, restMs = 5_000 } = options
  const remembered = new Map<string, Float32Array>()
  let restsUntil = 0

  const remember = (query: string, vector: Float32Array): Float32Array => {
    remembered.delete(query)
    remembered.set(query, vector)
    if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value!)
    return vector
  }

  const rest = () => {
    restsUntil = performance.now() + restMs
    return undefined
  }

  const ask = async (query: string): Promise<Float32Array | undefined> => {
    try {
      const [vector] = await embedder.embed([query], 'query')
      // Late, but it answers: the next search may wait for it again.
      restsUntil = 0
      return vector && remember(query, vector)
    } catch {
      return rest()
    }
  }

  return {
    model: embedder.model,
    embed: async (query) => {
      if (!hasMeaning(query) || (embedder.isEnglishOnly && isMostlyDense(query))) return undefined
      const known = remembered.get(query)
      if (known) return remember(query, known)
      if (performance.now() < restsUntil) return undefined
      let timer: NodeJS.Timeout | undefined
      const tooLate = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(rest()), maxWaitMs)
      })
      return Promise.race([ask(query), tooLate]).finally(() => clearTimeout(timer))
    },
  }
}
