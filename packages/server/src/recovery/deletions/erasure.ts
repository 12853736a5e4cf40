import type { DueWorker } from '../../background/loop.js'
import { itemsPerRound, runRound } from '../../background/rounds.js'
import { personOf } from '../../base/person.js'
import { erasedAuditEntries } from '../../changelog/audit/maintenance.js'
import { audit } from '../../changelog/audit/service.js'
import { isDeletionPending } from '../../changelog/deletions/service.js'
import * as erasures from '../../changelog/erasures/service.js'
import { erasedInboxEntries } from '../../changelog/inbox/maintenance.js'
import { erasedEvents } from '../../changelog/maintenance.js'
import type { ErasedTexts, RowKey } from '../../db/erased-texts.js'
import { serviceActor } from '../../operations/actor.js'
import { type Call, changing, ownOrigin } from '../../operations/call.js'
import type { Core } from '../../operations/core.js'
import type { Hooks } from '../../operations/hooks.js'
import { erasedAnswers } from '../../operations/idempotency/maintenance.js'
import { eraseFromKeys } from '../../tenancy/keys/service.js'
import { erasedPauses } from '../../tenancy/pauses/service.js'
import { findUser } from '../../tenancy/users/service.js'
import { erasedVersions, eraseFromPacks } from '../history/removal/erase.js'
import { eraseStep } from './erase-step.js'
import { deleteUser } from './user.js'

/** Returns the parts in the order of an erasure. The log comes first because pending deliveries are made from it. */
const partsOf = ({ erasedDeliveries }: Hooks): readonly (ErasedTexts | 'packs')[] => [
  erasedEvents,
  erasedDeliveries,
  erasedVersions,
  'packs',
  erasedAuditEntries,
  erasedAnswers,
  erasedInboxEntries,
  ...erasedPauses,
]

/** So long others have their turn after each step. */
const pauseMs = 5

/** A backup from before the erasure has brought the user back. Answers what they are called by. */
const deleteAgain = async (call: Call, hooks: Hooks, userId: string): Promise<string[]> => {
  const user = await findUser(call, userId)
  if (!user) return []
  await deleteUser(call, hooks, userId, { isErased: true })
  return [user.name, user.email ?? '']
}

/** Answers how an erasure goes on; null where nothing is left. */
const advance = async (call: Call, hooks: Hooks, erasure: erasures.Erasure): Promise<erasures.Progress | null> => {
  const parts = partsOf(hooks)
  const { userId, progress } = erasure
  const { names, part, after } = progress
  const person = personOf(userId, names)
  const isBeginning = part === 0 && after === null
  if (isBeginning) {
    const found = await deleteAgain(call, hooks, userId)
    if (found.length > 0) return { ...progress, names: [...names, ...found] }
    // Taking the user from their tasks writes their name once more.
    if (await isDeletionPending(call, 'user', userId)) return progress
    await eraseFromKeys(call, person)
  }
  const texts = parts[part]!
  const next =
    texts === 'packs'
      ? await eraseFromPacks(call, person, after as string | null)
      : await eraseStep(call, texts, person, after as RowKey | null)
  if (next !== null) return { ...progress, after: next }
  return part + 1 < parts.length ? { ...progress, part: part + 1, after: null } : null
}

const complete = (call: Call, { userId, requestedBy, ...erasure }: erasures.Erasure): Promise<void> =>
  changing(call, async (call) => {
    await erasures.setProgress(call.db, { ...erasure, userId }, null)
    await audit(call, 'user.erased', { subject: userId, details: { requestedBy: requestedBy.keyId } })
  })

/** Goes on with the people that are being erased, in small steps; every step can be made again. */
export const erasureWorker = ({ db, clock, hooks }: Pick<Core, 'db' | 'clock' | 'hooks'>): DueWorker => ({
  kind: 'erasures',
  name: 'erasing people',
  run: async (tenantId) => {
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('finishErasures') }
    const left = await runRound(
      await erasures.pendingErasures(db, tenantId, itemsPerRound),
      async (erasure) => {
        const progress = await advance(call, hooks, erasure)
        if (progress) return { ...erasure, progress }
        await complete(call, erasure)
        return undefined
      },
      pauseMs,
    )
    for (const erasure of left) await erasures.setProgress(db, erasure, erasure.progress)
  },
  nextDueMs: erasures.oldestErasureMs,
})
