import { createObservable, type Observable } from './observable'

/** What is known of something that is read from the service. */
export interface Load<T> {
  data?: T
  error?: unknown
  isLoading: boolean
}

/** Reads the data. `before` is the data of the last read, on which the next one may depend. */
export type Read<T> = (signal: AbortSignal, before: T | undefined) => Promise<T>

/** After this many changes during one read, it is started again instead of remembering them. */
const maxChangesDuringRead = 100

interface Entry {
  state: Observable<Load<unknown>>
  /** The components that show the data, each with its way to read it. */
  reads: Read<unknown>[]
  listenerCount: number
  controller: AbortController | undefined
  /** Changes that the read under way may not include. */
  changes: ((data: unknown) => unknown)[]
}

/** Data read from the service, by key. Components that show the same data share it; it is dropped with the last of them. */
export const createLoads = () => {
  const entries = new Map<string, Entry>()

  const entryOf = (key: string): Entry => {
    const known = entries.get(key)
    if (known) return known
    const state = createObservable<Load<unknown>>({ isLoading: true })
    const entry: Entry = { state, reads: [], listenerCount: 0, controller: undefined, changes: [] }
    entries.set(key, entry)
    return entry
  }
  const dropUnused = (key: string, { reads, listenerCount }: Entry): void => {
    if (reads.length === 0 && listenerCount === 0) entries.delete(key)
  }

  const start = async (entry: Entry): Promise<void> => {
    const read = entry.reads.at(-1)
    if (!read) return
    entry.controller?.abort()
    const controller = new AbortController()
    entry.controller = controller
    entry.changes = []
    entry.state.update((value) => (value.isLoading ? value : { ...value, isLoading: true }))
    try {
      const data = await read(controller.signal, entry.state.get().data)
      if (controller.signal.aborted) return
      entry.state.set({ data: entry.changes.reduce((value, change) => change(value), data), isLoading: false })
    } catch (error) {
      if (controller.signal.aborted) return
      entry.state.update((value) => ({ ...value, error, isLoading: false }))
    }
    entry.controller = undefined
  }

  return {
    stateOf: (key: string): Load<unknown> | undefined => entries.get(key)?.state.get(),
    subscribe: (key: string, listener: () => void): (() => void) => {
      const entry = entryOf(key)
      entry.listenerCount++
      const stop = entry.state.subscribe(listener)
      return () => {
        stop()
        entry.listenerCount--
        dropUnused(key, entry)
      }
    },
    /** Keeps the data until the returned function is called, and reads it unless others have. */
    hold: (key: string, read: Read<unknown>): (() => void) => {
      const entry = entryOf(key)
      entry.reads.push(read)
      if (entry.reads.length === 1) void start(entry)
      return () => {
        entry.reads.splice(entry.reads.indexOf(read), 1)
        if (entry.reads.length === 0) entry.controller?.abort()
        dropUnused(key, entry)
      }
    },
    reload: (key: string): void => {
      const entry = entries.get(key)
      if (entry) void start(entry)
    },
    /** Changes the data, and the result of a read under way, which may not include the change. */
    change: (key: string, change: (data: unknown) => unknown): void => {
      const entry = entries.get(key)
      if (!entry) return
      if (entry.controller) entry.changes.push(change)
      if (entry.changes.length > maxChangesDuringRead) void start(entry)
      const { data, ...rest } = entry.state.get()
      if (data !== undefined) entry.state.set({ ...rest, data: change(data) })
    },
    reloadAll: (): void => {
      for (const entry of entries.values()) void start(entry)
    },
  }
}

export type Loads = ReturnType<typeof createLoads>
