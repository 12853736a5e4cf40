import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import type { ErasedTexts } from '../../db/erased-texts.js'
import { type Actor, actorRef, type Paused } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import type { PauseChange } from './schema.js'

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
    'paused',
    `${name} is paused by ${JSON.stringify(paused.by.keyName)}: finish what you hold and ask again later (reason: ${JSON.stringify(paused.reason)}).`,
    { what, paused, ...extras },
  )

/** Hands out no work while the tenant, the project that is asked for or the caller's key is paused. */
export const refusePaused = ({ pauses }: Pick<Actor, 'pauses'>, project?: PausedProject): void => {
  if (pauses?.tenant) throw refused('tenant', 'Everything', pauses.tenant)
  if (project?.paused) {
    throw refused('project', `Project ${project.key}`, project.paused, { projectId: project.id })
  }
  if (pauses?.key) throw refused('key', 'This key', pauses.key)
}

export const erasedPauses: readonly ErasedTexts[] = [
  { table: 'tenants', key: ['tenant_id'] },
  { table: 'projects', key: ['id'] },
  { table: 'api_keys', key: ['id'] },
].map((table) => ({ ...table, start: [''], texts: ['paused'], rowsPerStep: 500 }))
