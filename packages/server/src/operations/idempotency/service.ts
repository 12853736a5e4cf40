import { AppError, notFound } from '../../base/errors.js'
import { visitObjects } from '../../base/json.js'
import { requireProject } from '../actor.js'
import { type Call, changing } from '../call.js'
import * as store from './store.js'

/** What is kept of an answer to give it again. */
export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export interface Attempt {
  route: string
  idempotencyKey: string
  /** Differs where the request differs. */
  fingerprint: string
}

export const keptForMs = 24 * 60 * 60 * 1000

const identify = (
  { actor }: Pick<Call, 'actor'>,
  { route, idempotencyKey }: Omit<Attempt, 'fingerprint'>,
): store.RequestIdentity => ({
  tenantId: actor.tenantId,
  keyId: actor.keyId,
  route,
  idempotencyKey,
})

/** Throws if a stored response contains a record of a project that the caller has lost access to. */
const requireVisible = ({ actor }: Call, { body }: KeptAnswer): void => {
  if (actor.projectIds === null || body === '') return
  visitObjects(JSON.parse(body), ({ projectId }) => {
    if (typeof projectId === 'string' && projectId !== '') {
      requireProject({ actor }, projectId, () => notFound('response'))
    }
  })
}

/** Returns the stored response to a request that was made before, if there is one. */
const findReplay = async (call: Call, attempt: Attempt): Promise<KeptAnswer | undefined> => {
  const stored = await store.findRequest(call.db, identify(call, attempt), call.clock() - keptForMs)
  if (!stored) return undefined
  if (stored.fingerprint !== attempt.fingerprint) {
    throw new AppError('key_reused', 'The idempotency key was already used for a different request. Use a new one.')
  }
  const answer = JSON.parse(stored.answer) as KeptAnswer
  requireVisible(call, answer)
  return answer
}

const stillRunning = (): AppError =>
  new AppError('running', 'The first request with this idempotency key is still running. Try again in a second.', {
    retryAfter: 1,
  })

export interface Idempotency {
  /** Whether a request with this idempotency key was answered before. */
  isKnown(call: Pick<Call, 'db' | 'clock' | 'actor'>, route: string, idempotencyKey: string): Promise<boolean>
  /**
   * Lets `work` act once for an idempotency key: its record commits with the work itself, and a repeat gets the first
   * answer. `work` says what to answer and what to keep of it, if anything.
   */
  once<A>(
    call: Call,
    attempt: Attempt,
    work: (call: Call) => Promise<{ answer: A; kept?: KeptAnswer }>,
  ): Promise<{ answer: A } | { replay: KeptAnswer }>
}

export const createIdempotency = (): Idempotency => {
  /** Requests under way on this node, by everything that tells them apart; as many as are taken on. */
  const underWay = new Set<string>()
  return {
    isKnown: (call, route, idempotencyKey) =>
      store.hasRequest(call.db, identify(call, { route, idempotencyKey }), call.clock() - keptForMs),
    once: async (call, attempt, work) => {
      const identity = identify(call, attempt)
      const name = JSON.stringify(identity)
      if (underWay.has(name)) throw stillRunning()
      underWay.add(name)
      try {
        // A repeated request is answered whatever became of its claim meanwhile, so the fence comes after.
        const { fence, ...unfenced } = call
        return await changing(unfenced, async (inside) => {
          const replay = await findReplay(inside, attempt)
          if (replay) return { replay }
          const { answer, kept } = await work({ ...inside, fence })
          // A tenant's changes follow each other, so no other request has stored one meanwhile. Nothing is written before
          // the work: if it is refused, its transaction has nothing to undo.
          if (kept) {
            const stored = { fingerprint: attempt.fingerprint, answer: JSON.stringify(kept) }
            await store.putRequest(inside.db, identity, stored, inside.clock())
          }
          return { answer }
        })
      } finally {
        underWay.delete(name)
      }
    },
  }
}
