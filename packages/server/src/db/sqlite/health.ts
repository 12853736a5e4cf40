import { statfs } from 'node:fs/promises'
import { unavailable } from '../../base/errors.js'
import { diskFull, isCorrupt, isFull, storageError } from './errors.js'

/** With less free space than this, writes are about to fail. */
const minFreeBytes = 1_048_576
/**
 * How long the store counts as full after a write failed for lack of space. A quota may apply although the disk has
 * space.
 */
const fullForMs = 5_000

/** Remembers lasting failures of the database file, so that the readiness check reports them. */
export interface StoreHealth {
  /** Records an error of SQLite and returns the error to throw instead. */
  note(error: unknown): unknown
  /** Throws if the file is damaged or the disk is full. */
  check(): Promise<void>
}

export const createStoreHealth = (folder: string): StoreHealth => {
  let damage: unknown
  let full: { error: unknown; atMs: number } | undefined

  const hasRoom = async (): Promise<boolean> => {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= minFreeBytes
  }

  return {
    note: (error) => {
      const shown = storageError(error)
      if (isCorrupt(error)) damage = shown
      if (isFull(error)) full = { error: shown, atMs: performance.now() }
      return shown
    },
    check: async () => {
      if (damage) throw damage
      if (full && performance.now() - full.atMs < fullForMs) throw full.error
      if (!(await hasRoom())) throw unavailable(diskFull, 30)
    },
  }
}
