import { AppError } from '../../../base/errors.js'
import type { Db } from '../../../db/port.js'
import type { Call } from '../../../operations/call.js'
import { eachInTurn } from '../../../scheduling/in-turns.js'
import { deleteEnded, tokensOfWorker } from './ended-store.js'

export {
  countEnded,
  countFinishedForOthers,
  type EndedFilter,
  type EndedGroup,
  medianDurations,
} from './ended-store.js'

const keptForMs = 30 * 86_400_000
const rowsPerStep = 1_000
const maxClaimsOfWorker = 10_000

/** The tokens of the claims of a worker of a key that were live since a time. */
export const claimsOfWorker = async (
  { db, actor }: Call,
  worker: { keyId: string; worker: string; sinceMs: number },
): Promise<ReadonlySet<string>> => {
  const tokens = await tokensOfWorker(db, actor.tenantId, worker, maxClaimsOfWorker + 1)
  if (tokens.length > maxClaimsOfWorker) {
    throw new AppError('CONFLICT', `The worker had more than ${maxClaimsOfWorker} claims. Set since to a later time.`)
  }
  return new Set(tokens)
}

/** Removes claims that ended more than 30 days ago. */
export const trimEndedClaims = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  await eachInTurn(tenantIds, async (tenantId) => {
    while ((await deleteEnded(db, tenantId, nowMs - keptForMs, rowsPerStep)) === rowsPerStep);
  })
}
