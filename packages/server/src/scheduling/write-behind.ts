interface WriteBehindSettings<V> {
  /** Writes some entries of a tenant in one transaction. */
  write: (tenantId: string, entries: readonly (readonly [key: string, value: V])[]) => Promise<unknown>
  /** Combines an entry with a newer one of the same key. Without it, the newer one replaces it. */
  merge?: (older: V, newer: V) => V
  /** Limits the entries of all tenants, including those that are being written. */
  maxEntries: number
  /** Few enough that other writers wait only briefly. */
  entriesPerWrite?: number
}

/** Entries that are gathered in memory and written together by the next flush. */
export interface WriteBehind<V> {
  /** Returns false if there is no room for another entry. */
  add(tenantId: string, key: string, value: V): boolean
  get(tenantId: string, key: string): V | undefined
  /** Whether the tenant has entries that are not written yet. */
  has(tenantId: string): boolean
  /** Writes what has been added so far, of one tenant or of all. Entries that cannot be written are kept. */
  flush(tenantId?: string): Promise<void>
}

export const createWriteBehind = <V>(settings: WriteBehindSettings<V>): WriteBehind<V> => {
  const { write, merge = (_, newer) => newer, maxEntries, entriesPerWrite = 250 } = settings
  const unwritten = new Map<string, Map<string, V>>()
  /** The last write of each tenant that is being written. */
  const writing = new Map<string, Promise<void>>()
  let count = 0

  const entriesOf = (tenantId: string): Map<string, V> => {
    let entries = unwritten.get(tenantId)
    if (!entries) {
      entries = new Map()
      unwritten.set(tenantId, entries)
    }
    return entries
  }

  const putBack = (tenantId: string, key: string, value: V): void => {
    const entries = entriesOf(tenantId)
    const newer = entries.get(key)
    if (newer !== undefined) count--
    entries.set(key, newer === undefined ? value : merge(value, newer))
  }

  const writeTenant = async (tenantId: string): Promise<void> => {
    const entries = [...(unwritten.get(tenantId) ?? [])]
    unwritten.delete(tenantId)
    let failure: unknown
    for (let at = 0; at < entries.length; at += entriesPerWrite) {
      const some = entries.slice(at, at + entriesPerWrite)
      try {
        await write(tenantId, some)
        count -= some.length
      } catch (error) {
        failure ??= error
        for (const [key, value] of some) putBack(tenantId, key, value)
      }
    }
    if (failure !== undefined) throw failure
  }

  /** Writes after the tenant's write in progress, so that a subsequent read finds everything added before. */
  const flushTenant = (tenantId: string): Promise<void> => {
    const ended = (writing.get(tenantId) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => writeTenant(tenantId))
      .finally(() => {
        if (writing.get(tenantId) === ended) writing.delete(tenantId)
      })
    writing.set(tenantId, ended)
    return ended
  }

  return {
    add: (tenantId, key, value) => {
      const older = unwritten.get(tenantId)?.get(key)
      if (older === undefined) {
        if (count >= maxEntries) return false
        count++
      }
      entriesOf(tenantId).set(key, older === undefined ? value : merge(older, value))
      return true
    },
    get: (tenantId, key) => unwritten.get(tenantId)?.get(key),
    has: (tenantId) => unwritten.has(tenantId) || writing.has(tenantId),
    flush: async (tenantId) => {
      const tenantIds = tenantId === undefined ? new Set([...unwritten.keys(), ...writing.keys()]) : [tenantId]
      const outcomes = await Promise.allSettled([...tenantIds].map(flushTenant))
      const failed = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
      if (failed) throw failed.reason
    },
  }
}
