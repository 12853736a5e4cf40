import type { Person } from '../../../base/person.js'
import { utf8Length } from '../../../base/text.js'
import { packed, unpacked } from '../../../changelog/versions/pack-format.js'
import type { ErasedTexts } from '../../../db/erased-texts.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import { type Call, changing } from '../../../operations/call.js'
import * as store from './erase-store.js'

export const erasedVersions: ErasedTexts = {
  table: 'history',
  key: ['sequence', 'place'],
  start: [0, 0],
  texts: ['actor', 'rest', 'before'],
  rowsPerStep: 100,
  counted: 'before',
}

/** Takes a person out of the next pack of versions; answers its id, or null after the last. */
export const eraseFromPacks = async (call: Call, person: Person, after: string | null): Promise<string | null> => {
  const { tenantId } = call.actor
  const pack = await store.findPackAfter(call.db, tenantId, after ?? '')
  if (!pack) return null
  const versions = await unpacked(pack.format, pack.data)
  const redacted = versions.map(person.redacted)
  if (redacted.every((version, at) => version === versions[at])) return pack.id
  const data = await packed(redacted)
  const rawBytes = redacted.reduce((sum, version) => sum + utf8Length(version), 0)
  await changing(call, async ({ db }) => {
    // It may have been trimmed or purged meanwhile; no pack gets other versions while people are erased.
    if ((await store.rewritePack(db, tenantId, pack.id, rawBytes, data)) === 0) return
    await countStoredBytes(db, tenantId, data.byteLength - pack.data.byteLength)
  })
  return pack.id
}
