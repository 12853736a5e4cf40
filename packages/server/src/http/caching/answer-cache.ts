/** What was answered, and the state of its tenant by then. */
interface KeptAnswer {
  state: string
  body: Buffer
  /** When it changes all the same, in milliseconds. */
  changesAt?: number | undefined
}

/** Whether an answer is no longer what a request would get, though nothing was written. */
export const isOver = (changesAt: number | undefined, nowMs: number): boolean =>
  changesAt !== undefined && changesAt <= nowMs

export interface AnswerCache {
  /** Forgets an answer from another state, or one that is over. */
  get(name: string, state: string, nowMs: number): KeptAnswer | undefined
  /** Whether an answer is worth keeping: notes that it was read, and tells whether the same one was read before. */
  isRepeated(tag: string): boolean
  keep(name: string, answer: KeptAnswer): void
}

/** Beyond it those that were not asked for lately are forgotten. */
const maxBytes = 16_777_216
/** An answer that nobody asks for is forgotten after between one and two of these. */
const generationMs = 30_000
/** A larger one would drive out too many others. */
const maxAnswerBytes = 1_048_576
/** What an entry takes besides its name and its body, about. */
const entryBytes = 400

/** So many answers are remembered, by their hashes; a later one takes the place of another with the same slot. */
const rememberedAnswers = 16_384

const bytesOf = (name: string, { body }: KeptAnswer): number => body.length + name.length + entryBytes

/** FNV-1a. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Keeps the answers that were asked for last, in two generations: the older one goes when the younger one is full or old. */
export const createAnswerCache = (): AnswerCache => {
  let young = new Map<string, KeptAnswer>()
  let old = new Map<string, KeptAnswer>()
  let youngBytes = 0
  let willEnd = false
  const remembered = new Uint32Array(rememberedAnswers)

  const beginGeneration = (): void => {
    old = young
    young = new Map()
    youngBytes = 0
  }

  const endGenerationLater = (): void => {
    if (willEnd) return
    willEnd = true
    setTimeout(() => {
      willEnd = false
      beginGeneration()
      if (old.size > 0) endGenerationLater()
    }, generationMs).unref()
  }

  const keep = (name: string, answer: KeptAnswer): void => {
    const bytes = bytesOf(name, answer)
    if (bytes > maxAnswerBytes) return
    if (youngBytes + bytes > maxBytes / 2) beginGeneration()
    endGenerationLater()
    const replaced = young.get(name)
    youngBytes += replaced ? answer.body.length - replaced.body.length : bytes
    young.set(name, answer)
  }

  return {
    get: (name, state, nowMs) => {
      const isGood = (answer: KeptAnswer): boolean => answer.state === state && !isOver(answer.changesAt, nowMs)
      const known = young.get(name)
      if (known && isGood(known)) return known
      if (known) {
        young.delete(name)
        youngBytes -= bytesOf(name, known)
        return undefined
      }
      const older = old.get(name)
      if (!older) return undefined
      old.delete(name)
      if (!isGood(older)) return undefined
      keep(name, older)
      return older
    },
    isRepeated: (tag) => {
      const hash = hashOf(tag)
      const slot = hash % rememberedAnswers
      const isRepeated = remembered[slot] === hash
      remembered[slot] = hash
      return isRepeated
    },
    keep,
  }
}
