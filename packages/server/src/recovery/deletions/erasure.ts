import { setTimeout as sleep } from 'node:timers/promises'
import { type Person, personOf } from '../../base/person.js'
import { eraseFromAudit } from '../../changelog/audit/maintenance.js'
import { audit } from '../../changelog/audit/service.js'
import { isDeletionPending } from '../../changelog/deletions/service.js'
import type { DueWorker } from '../../changelog/due-work/loop.js'
import * as erasures from '../../changelog/erasures/service.js'
import { eraseFromInbox } from '../../changelog/inbox/maintenance.js'
import { eraseFromEvents } from '../../changelog/maintenance.js'
import { serviceActor } from '../../operations/actor.js'
import { type Call, changing, ownOrigin } from '../../operations/call.js'
import type { Core } from '../../operations/core.js'
import type { Hooks } from '../../operations/hooks.js'
import { eraseFromAnswers } from '../../operations/idempotency/maintenance.js'
import { eraseFromKeys } from '../../tenancy/keys/service.js'
import { eraseFromPauses } from '../../tenancy/pauses/service.js'
import { findUser } from '../../tenancy/users/service.js'
import { eraseFromPacks, eraseFromVersions } from '../history/removal/erase.js'
import { deleteUser } from './user.js'

/** Goes through some of a place, from a position on; answers where to go on, or null after the last. */
type Step = (call: Call, person: Person, after: never) => Promise<unknown>

/** In the order of an erasure's progress. The log comes first, since deliveries that wait are made from it. */
const partsOf = ({ eraseFromDeliveries }: Hooks): readonly Step[] => [
  eraseFromEvents,
  eraseFromDeliveries,
  eraseFromVersions,
  eraseFromPacks,
  eraseFromAudit,
  eraseFromAnswers,
  eraseFromInbox,
  eraseFromPauses,
]

const atOnce = 20
const roundMs = 1_000
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
  const next = await parts[part]!(call, person, after as never)
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
    const untilMs = performance.now() + roundMs
    const call = { db, clock, actor: serviceActor(tenantId), origin: ownOrigin('finishErasures') }
    let pending = await erasures.pendingErasures(db, tenantId, atOnce)
    while (pending.length > 0 && performance.now() < untilMs) {
      const left: erasures.Erasure[] = []
      for (const erasure of pending) {
        const progress = await advance(call, hooks, erasure)
        if (progress) left.push({ ...erasure, progress })
        else await complete(call, erasure)
        await sleep(pauseMs)
      }
      pending = left
    }
    for (const erasure of pending) await erasures.setProgress(db, erasure, erasure.progress)
  },
  nextDueMs: erasures.oldestErasureMs,
})
