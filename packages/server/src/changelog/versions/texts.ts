import type { Sql } from '../../db/port.js'
import { unpacked, unpackedSync } from './pack-format.js'
import { findPack, findText } from './store.js'

interface VersionPlace {
  sequence: number
  place: number
}

/** Reads what changes replaced; versions of one record share packs, of which the last is held. */
interface VersionTexts {
  /** The record before the change, as JSON; null where the change made it. */
  before(row: VersionPlace): Promise<string | null>
}

/** In a transaction, packs are decompressed synchronously, so that reading waits only for the database. */
export const readTexts = (db: Sql, tenantId: string, isInTransaction = false): VersionTexts => {
  let held: { id: string; versions: string[] } | undefined

  const fromPack = async (id: string, part: number): Promise<string | undefined> => {
    if (held?.id !== id) {
      const pack = await findPack(db, tenantId, id)
      if (!pack) return undefined
      const { format, data } = pack
      held = { id, versions: isInTransaction ? unpackedSync(format, data) : await unpacked(format, data) }
    }
    return held.versions[part]
  }

  const read = async ({ sequence, place }: VersionPlace): Promise<string | null | undefined> => {
    const text = await findText(db, tenantId, [sequence, place])
    return text?.pack_id ? fromPack(text.pack_id, text.pack_part!) : (text?.before ?? null)
  }
  return {
    // One that was packed once more in this very moment is found in its new pack.
    before: async (row) => (await read(row)) ?? (await read(row)) ?? null,
  }
}
