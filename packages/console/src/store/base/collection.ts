import { createObservable, type Observable } from './observable'

/** The records of a collection at one time. It never changes; a change of a record makes another one. */
export interface Records<T> {
  readonly list: readonly T[]
  readonly isLoaded: boolean
  get(id: string): T | undefined
}

/** A small set of records that is loaded whole and then kept up to date by events. */
export interface Collection<T> {
  records: Observable<Records<T>>
  /** Returns the latest version of a record. Components subscribe with `useUsers` and its like instead. */
  get(id: string): T | undefined
  load(): Promise<void>
  /** Loads the records unless they are loaded, or being loaded, already. */
  loadOnce(): Promise<void>
  put(record: T): void
  remove(id: string): void
}

export const createCollection = <T extends { id: string }>(
  readAll: () => AsyncIterable<T>,
  compare: (a: T, b: T) => number,
): Collection<T> => {
  let byId: ReadonlyMap<string, T> = new Map()
  const recordsOf = (isLoaded: boolean): Records<T> => {
    const now = byId
    return { list: [...now.values()].sort(compare), isLoaded, get: (id) => now.get(id) }
  }
  const records = createObservable(recordsOf(false))
  /** Changes that arrive during a load; null means that the record was removed. */
  let changedMeanwhile: Map<string, T | null> | undefined
  const replace = (next: ReadonlyMap<string, T>, isLoaded = records.get().isLoaded): void => {
    byId = next
    records.set(recordsOf(isLoaded))
  }
  const load = async (): Promise<void> => {
    const changed = new Map<string, T | null>()
    changedMeanwhile = changed
    const read = new Map<string, T>()
    try {
      for await (const record of readAll()) read.set(record.id, record)
      // A later load has replaced this one and gets newer records.
      if (changedMeanwhile !== changed) return
    } finally {
      if (changedMeanwhile === changed) changedMeanwhile = undefined
    }
    for (const [id, record] of changed) {
      if (record) read.set(id, record)
      else read.delete(id)
    }
    replace(read, true)
  }
  let loading: Promise<void> | undefined
  return {
    records,
    get: (id) => byId.get(id),
    load,
    loadOnce: () => {
      if (records.get().isLoaded) return Promise.resolve()
      loading ??= load().finally(() => {
        loading = undefined
      })
      return loading
    },
    put: (record) => {
      changedMeanwhile?.set(record.id, record)
      replace(new Map(byId).set(record.id, record))
    },
    remove: (id) => {
      changedMeanwhile?.set(id, null)
      const left = new Map(byId)
      left.delete(id)
      replace(left)
    },
  }
}
