import type { Person } from '../../base/person.js'
import { utf8Length } from '../../base/text.js'
import { type ErasedTexts, endOfStep, listMentions, type RowKey, setTexts } from '../../db/erased-texts.js'
import { countStoredBytes } from '../../limits/quotas/stored-bytes.js'
import { type Call, changing } from '../../operations/call.js'

type Texts = Parameters<NonNullable<ErasedTexts['redacted']>>[0]

const redactedEach = (texts: Texts, person: Person): Texts =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text && person.redacted(text)]))

/** Redacts a person in the next rows after a key. Returns the key to continue from, or null after the last row. */
export const eraseStep = async (
  call: Call,
  part: ErasedTexts,
  person: Person,
  after: RowKey | null,
): Promise<RowKey | null> => {
  const { tenantId } = call.actor
  const { redacted = redactedEach, counted } = part
  const from = after ?? part.start
  const upTo = await endOfStep(call.db, part, tenantId, from, part.rowsPerStep)
  if (!upTo) return null
  const mentions = (db: Call['db']) => listMentions(db, part, tenantId, person, [from, upTo])
  if ((await mentions(call.db)).length === 0) return upTo
  await changing(call, async ({ db }) => {
    let growthBytes = 0
    for (const { key, texts } of await mentions(db)) {
      const rest = redacted(texts, person)
      if (counted) growthBytes += utf8Length(rest[counted] ?? '') - utf8Length(texts[counted] ?? '')
      await setTexts(db, part, tenantId, { key, texts: rest })
    }
    if (growthBytes !== 0) await countStoredBytes(db, tenantId, growthBytes)
  })
  return upTo
}
