import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import type { Person } from '../../base/person.js'
import { type Actor, actorRef, type Paused } from '../../operations/actor.js'
import { type Call, changing } from '../../operations/call.js'
import type { PauseChange } from './schema.js'
import * as store from './store.js'

/** A pause after a change: the same reason again changes nothing, and one with its author is taken as it is. */
export const pausedAfter = (
  { actor, clock }: Call,
  before: Paused | null,
  change: PauseChange | Paused | undefined,
): Paused | null => {
  if (change === undefined) return before
  if (change === null || 'by' in change) return change
  if (before?.reason === change.reason) return before
  return { reason: change.reason, by: actorRef(actor), at: isoTime(clock()) }
}

interface PausedProject {
  id: string
  key: string
  paused: Paused | null
}

const refused = (what: 'tenant' | 'project' | 'key', name: string, paused: Paused, extras: object = {}): AppError =>
  new AppError(
    'CONFLICT',
    `${name} is paused by ${JSON.stringify(paused.by.keyName)}: finish what you hold and ask again later (reason: ${JSON.stringify(paused.reason)}).`,
    { reason: 'paused', what, paused, ...extras },
  )

/** Hands out no work while the tenant, the project that is asked for or the caller's key is paused. */
export const refusePaused = ({ pauses }: Pick<Actor, 'pauses'>, project?: PausedProject): void => {
  if (pauses?.tenant) throw refused('tenant', 'Everything', pauses.tenant)
  if (project?.paused) {
    throw refused('project', `Project ${project.key}`, project.paused, { projectId: project.id })
  }
  if (pauses?.key) throw refused('key', 'This key', pauses.key)
}

/** Takes a person out of the pauses that they set. */
export const eraseFromPauses = async (call: Call, person: Person): Promise<null> => {
  const { tenantId } = call.actor
  if ((await store.listMentions(call.db, tenantId, person.id)).length === 0) return null
  await changing(call, async ({ db }) => {
    for (const { table, id, paused } of await store.listMentions(db, tenantId, person.id))
      await store.rewritePaused(db, tenantId, table, id, person.redacted(paused))
  })
  return null
}
