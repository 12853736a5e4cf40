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
  const byId = new Map<string, T>()
  const publish = (): void => list.set([...byId.values()].sort(compare))
  return {
    list,
    isLoaded,
    get: (id) => byId.get(id),
    load: async () => {
      const read: T[] = []
      for await (const record of readAll()) read.push(record)
      byId.clear()
      for (const record of read) byId.set(record.id, record)
      publish()
      isLoaded.set(true)
    },
    put: (record) => {
      byId.set(record.id, record)
      publish()
    },
    remove: (id) => {
      byId.delete(id)
      publish()
    },
  }
}
