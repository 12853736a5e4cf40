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
const periodMs = 30_000
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

interface Entry {
  answer: KeptAnswer
  /** In which period it was last asked for. */
  usedIn: number
}

/** Keeps the answers that were asked for last. */
export const createAnswerCache = (): AnswerCache => {
  /** The one that was asked for last stands last. */
  const entries = new Map<string, Entry>()
  let bytes = 0
  let period = 0
  let willEnd = false
  const remembered = new Uint32Array(rememberedAnswers)

  const forget = (name: string, { answer }: Entry): void => {
    entries.delete(name)
    bytes -= bytesOf(name, answer)
  }

  const forgetOldest = (isToGo: (entry: Entry) => boolean): void => {
    for (const [name, entry] of entries) {
      if (!isToGo(entry)) return
      forget(name, entry)
    }
  }

  const endPeriodLater = (): void => {
    if (willEnd) return
    willEnd = true
    setTimeout(() => {
      willEnd = false
      forgetOldest(({ usedIn }) => usedIn < period)
      period++
      if (entries.size > 0) endPeriodLater()
    }, periodMs).unref()
  }

  return {
    get: (name, state, nowMs) => {
      const entry = entries.get(name)
      if (!entry) return undefined
      const { answer } = entry
      if (answer.state !== state || isOver(answer.changesAt, nowMs)) {
        forget(name, entry)
        return undefined
      }
      entries.delete(name)
      entry.usedIn = period
      entries.set(name, entry)
      return answer
    },
    isRepeated: (tag) => {
      const hash = hashOf(tag)
      const slot = hash % rememberedAnswers
      const isRepeated = remembered[slot] === hash
      remembered[slot] = hash
      return isRepeated
    },
    keep: (name, answer) => {
      const added = bytesOf(name, answer)
      if (added > maxAnswerBytes) return
      const replaced = entries.get(name)
      if (replaced) forget(name, replaced)
      forgetOldest(() => bytes + added > maxBytes)
      entries.set(name, { answer, usedIn: period })
      bytes += added
      endPeriodLater()
    },
  }
}
