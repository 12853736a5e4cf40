interface LruCache<V> {
  /** The value kept under a key, made where there is none. */
  get(key: string, make: () => V): V
  size(): number
}

/**
 * Keeps the values that were used last, at most as many as the bound. They are in two generations: a value that is used
 * moves to the younger one, and the older one goes when that is full. To note each use in one order would write to a
 * map with each read.
 */
export const createLruCache = <V>(bound: number): LruCache<V> => {
  const perGeneration = Math.floor(bound / 2)
  let young = new Map<string, V>()
  let old = new Map<string, V>()

  const keep = (key: string, value: V): V => {
    if (young.size >= perGeneration) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    return value
  }

  return {
    get: (key, make) => {
      const known = young.get(key)
      if (known !== undefined) return known
      const value = old.get(key) ?? make()
      old.delete(key)
      return keep(key, value)
    },
    size: () => young.size + old.size,
  }
}
