import { createObservable, type Observable } from './observable'

/** A small set of records that is loaded whole and then kept up to date by events. */
export interface Collection<T> {
  list: Observable<readonly T[]>
  isLoaded: Observable<boolean>
  get(id: string): T | undefined
  load(): Promise<void>
  put(record: T): void
  remove(id: string): void
}

export const createCollection = <T extends { id: string }>(
  readAll: () => AsyncIterable<T>,
  compare: (a: T, b: T) => number,
): Collection<T> => {
  const list = createObservable<readonly T[]>([])
  const isLoaded = createObservable(false)
  let byId = new Map<string, T>()
  /** Changes that arrive during a load; null means that the record was removed. */
  let changedMeanwhile: Map<string, T | null> | undefined
  const publish = (): void => list.set([...byId.values()].sort(compare))
  return {
    list,
    isLoaded,
    get: (id) => byId.get(id),
    load: async () => {
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
      byId = read
      publish()
      isLoaded.set(true)
    },
    put: (record) => {
      byId.set(record.id, record)
      changedMeanwhile?.set(record.id, record)
      publish()
    },
    remove: (id) => {
      byId.delete(id)
      changedMeanwhile?.set(id, null)
      publish()
    },
  }
}
