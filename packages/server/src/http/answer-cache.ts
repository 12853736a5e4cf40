/** What was answered, and what its tenant had committed by then. */
export interface KeptAnswer {
  commits: string
  body: Buffer
}

export interface AnswerCache {
  get(name: string): KeptAnswer | undefined
  keep(name: string, answer: KeptAnswer): void
}

/** Beyond it those that were not asked for lately are forgotten. */
const maxBytes = 16_777_216
/** A larger one would drive out too many others. */
const maxAnswerBytes = 1_048_576
/** What an entry takes besides its name and its body, about. */
const entryBytes = 400

/** Keeps the answers that were asked for last, in two generations: the older one goes when the younger one is full. */
export const createAnswerCache = (): AnswerCache => {
  let young = new Map<string, KeptAnswer>()
  let old = new Map<string, KeptAnswer>()
  let youngBytes = 0

  const keep = (name: string, answer: KeptAnswer): void => {
    const bytes = answer.body.length + name.length + entryBytes
    if (bytes > maxAnswerBytes) return
    if (youngBytes + bytes > maxBytes / 2) {
      old = young
      young = new Map()
      youngBytes = 0
    }
    const replaced = young.get(name)
    youngBytes += replaced ? answer.body.length - replaced.body.length : bytes
    young.set(name, answer)
  }

  return {
    get: (name) => {
      const known = young.get(name)
      if (known) return known
      const older = old.get(name)
      if (!older) return undefined
      old.delete(name)
      keep(name, older)
      return older
    },
    keep,
  }
}
