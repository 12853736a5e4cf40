import { AppError } from '../../../base/errors.js'
import type { Call } from '../../../operations/call.js'
import { tokensOfWorker } from './ended-store.js'

export {
  countEnded,
  countFinishedForOthers,
  type EndedFilter,
  type EndedGroup,
  medianDurations,
} from './ended-store.js'

const maxClaimsOfWorker = 10_000

/** The tokens of the claims of a worker of a key that were live since a time. */
export const claimsOfWorker = async (
  { db, actor }: Call,
  worker: { keyId: string; worker: string; sinceMs: number },
): Promise<ReadonlySet<string>> => {
  const tokens = await tokensOfWorker(db, actor.tenantId, worker, maxClaimsOfWorker + 1)
  if (tokens.length > maxClaimsOfWorker) {
    throw new AppError('limit', `The worker had more than ${maxClaimsOfWorker} claims. Start at a later time.`)
  }
  return new Set(tokens)
}
