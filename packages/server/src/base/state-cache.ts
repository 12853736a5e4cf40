/** What was read, and the state of what it was read from. */
interface Kept<V> {
  state: string
  value: V
  /** When it changes all the same, in milliseconds. */
  changesAt?: number | undefined
}

/** Whether what was read is no longer what would be read, though nothing was written. */
export const isOver = (changesAt: number | undefined, nowMs: number): boolean =>
  changesAt !== undefined && changesAt <= nowMs

interface StateCache<V> {
  /** Forgets a value from another state, or one that is over. */
  get(name: string, state: string, nowMs?: number): Kept<V> | undefined
  /** Whether a value is worth keeping: notes that it was read, and tells whether the same one was read before. */
  isRepeated(tag: string): boolean
  keep(name: string, kept: Kept<V>): void
}

interface StateCacheSettings<V> {
  /** Beyond it those that were not asked for lately are forgotten. */
  maxBytes: number
  /** A larger value would drive out too many others. */
  maxValueBytes: number
  bytesOf(value: V): number
}

/** A value that nobody asks for is forgotten after between one and two of these. */
const periodMs = 30_000
/** What an entry takes besides its name and its value, about. */
const entryBytes = 400

/** So many values are remembered, by their hashes; a later one takes the place of another with the same slot. */
const rememberedValues = 16_384

/** FNV-1a. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

interface Entry<V> {
  kept: Kept<V>
  /** In which period it was last asked for. */
  usedIn: number
}

/** Keeps what is read again and again while nothing that it depends on was written; what was asked for last stays. */
export const createStateCache = <V>({ maxBytes, maxValueBytes, bytesOf }: StateCacheSettings<V>): StateCache<V> => {
  /** The one that was asked for last stands last. */
  const entries = new Map<string, Entry<V>>()
  let bytes = 0
  let period = 0
  let willEnd = false
  const remembered = new Uint32Array(rememberedValues)

  const sizeOf = (name: string, value: V): number => bytesOf(value) + name.length + entryBytes

  const forget = (name: string, { kept }: Entry<V>): void => {
    entries.delete(name)
    bytes -= sizeOf(name, kept.value)
  }

  const forgetOldest = (isToGo: (entry: Entry<V>) => boolean): void => {
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
    get: (name, state, nowMs = 0) => {
      const entry = entries.get(name)
      if (!entry) return undefined
      const { kept } = entry
      if (kept.state !== state || isOver(kept.changesAt, nowMs)) {
        forget(name, entry)
        return undefined
      }
      entries.delete(name)
      entry.usedIn = period
      entries.set(name, entry)
      return kept
    },
    isRepeated: (tag) => {
      const hash = hashOf(tag)
      const slot = hash % rememberedValues
      const isRepeated = remembered[slot] === hash
      remembered[slot] = hash
      return isRepeated
    },
    keep: (name, kept) => {
      const added = sizeOf(name, kept.value)
      if (added > maxValueBytes) return
      const replaced = entries.get(name)
      if (replaced) forget(name, replaced)
      forgetOldest(() => bytes + added > maxBytes)
      entries.set(name, { kept, usedIn: period })
      bytes += added
      endPeriodLater()
    },
  }
}
