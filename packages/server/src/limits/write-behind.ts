/** Half of the second that a crash may lose: the other half is the disk's. */
const usualDelayMs = 500

/** Few enough that other writers wait only briefly for the transaction. */
const keysPerWrite = 200

interface WriteBehindSettings {
  write: (keys: readonly string[]) => Promise<unknown>
  onError: (error: unknown) => void
  delayMs?: number | undefined
}

const inPieces = function* (keys: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < keys.length; at += keysPerWrite) yield keys.slice(at, at + keysPerWrite)
}

/** Gathers the keys of what has changed and writes them together a moment later; what fails is tried again. */
export const createWriteBehind = ({ write, onError, delayMs = usualDelayMs }: WriteBehindSettings) => {
  const changed = new Set<string>()
  let underWay = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let isClosed = false

  const writeAll = async (): Promise<void> => {
    const keys = [...changed]
    changed.clear()
    underWay = new Set(keys)
    let firstError: unknown
    for (const piece of inPieces(keys)) {
      try {
        await write(piece)
      } catch (error) {
        firstError ??= error
        for (const key of piece) changed.add(key)
      }
      for (const key of piece) underWay.delete(key)
    }
    if (firstError !== undefined) throw firstError
  }

  const schedule = (): void => {
    if (timer || isClosed) return
    timer = setTimeout(() => {
      timer = undefined
      writing = writing
        .then(writeAll)
        .catch(onError)
        .then(() => {
          if (changed.size > 0) schedule()
        })
    }, delayMs).unref()
  }

  return {
    add: (key: string): void => {
      changed.add(key)
      if (!timer) schedule()
    },
    /** Whether this key has changes that are not on the disk yet. */
    has: (key: string): boolean => changed.has(key) || underWay.has(key),
    /** Writes what is left; throws if it cannot. */
    close: async (): Promise<void> => {
      isClosed = true
      clearTimeout(timer)
      await writing
      await writeAll()
    },
  }
}
