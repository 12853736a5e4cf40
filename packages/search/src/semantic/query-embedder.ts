import { spellOut } from '../text/abbreviations.js'
import { hasWords, isMostlyLatin, outOfVocabularyShare } from '../text/language.js'
import type { Embedder } from './embedder.js'

export interface QueryVector {
  vector: Float32Array
  /** How certain it is that the query is written in a language that the model was not taught, from 0 to 1. */
  outOfVocabularyShare: number
}

export interface EmbeddedQuery {
  /** Undefined where the query says nothing to the model, or the model did not answer in time. */
  queryVector: QueryVector | undefined
  isLate: boolean
}

export interface QueryEmbedder {
  readonly model: string
  embed(query: string): Promise<EmbeddedQuery>
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

  // One search of everything asks for the same query several times at once.
  const underWay = new Map<string, Promise<Float32Array | undefined>>()

  const ask = (query: string): Promise<Float32Array | undefined> => {
    const asked = underWay.get(query) ?? askModel(query).finally(() => underWay.delete(query))
    underWay.set(query, asked)
    return asked
  }

  const askModel = async (query: string): Promise<Float32Array | undefined> => {
    try {
      const [vector] = await embedder.embed([query], 'query')
      // Late, but it answers: the next search may wait for it again.
      restsUntil = 0
      return vector && remember(query, vector)
    } catch {
      return rest()
    }
  }

  const vectorOf = async (query: string): Promise<Float32Array | undefined> => {
    const known = remembered.get(query)
    if (known) return remember(query, known)
    if (performance.now() < restsUntil) return undefined
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(rest()), maxWaitMs)
    })
    return Promise.race([ask(query), tooLate]).finally(() => clearTimeout(timer))
  }

  return {
    model: embedder.model,
    embed: async (typed) => {
      const query = spellOut(typed)
      const isMeaningless = !hasWords(query) || (embedder.isEnglishOnly && !isMostlyLatin(query))
      if (isMeaningless) return { queryVector: undefined, isLate: false }
      const [vector, stems] = await Promise.all([vectorOf(query), embedder.readStems?.()])
      const queryVector = vector && { vector, outOfVocabularyShare: stems ? outOfVocabularyShare(query, stems) : 0 }
      return { queryVector, isLate: queryVector === undefined }
    },
  }
}
