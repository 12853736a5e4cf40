import type { Person } from '../../../base/person.js'
import { utf8Length } from '../../../base/text.js'
import { packed, unpacked } from '../../../changelog/versions/pack-format.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import { type Call, changing } from '../../../operations/call.js'
import * as store from './erase-store.js'

const changesPerStep = 100

/** Takes a person out of some versions after a sequence; answers where to go on, or null after the last. */
export const eraseFromVersions = async (call: Call, person: Person, after: number | null): Promise<number | null> => {
  const { tenantId } = call.actor
  const from = after ?? 0
  const upTo = await store.endOfStep(call.db, tenantId, from, changesPerStep)
  if (upTo === undefined) return null
  const mentions = (db: Call['db']) => store.listMentions(db, tenantId, person.id, [from, upTo])
  if ((await mentions(call.db)).length === 0) return upTo
  await changing(call, async ({ db }) => {
    let growthBytes = 0
    for (const { sequence, place, actor, rest, before } of await mentions(db)) {
      const version = before && person.redacted(before)
      growthBytes += utf8Length(version ?? '') - utf8Length(before ?? '')
      await store.rewriteChange(db, tenantId, {
        sequence,
        place,
        actor: person.redacted(actor),
        rest: rest && person.redacted(rest),
        before: version,
      })
    }
    await countStoredBytes(db, tenantId, growthBytes)
  })
  return upTo
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
