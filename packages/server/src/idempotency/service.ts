import { type Call, changing } from '../call.js'
import { AppError } from '../errors.js'

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

interface KeptRow {
  fingerprint: string
  answer: string
}

export const keptForMs = 24 * 60 * 60 * 1000

/** Requests under way on this node, by everything that tells them apart. */
const underWay = new Set<string>()

const identify = (call: Call, attempt: Attempt): string[] => [
  call.actor.tenantId,
  call.actor.keyId,
  attempt.route,
  attempt.idempotencyKey,
]

const samePlace = 'tenant_id = ? and key_id = ? and route = ? and idempotency_key = ?'

const begin = async (call: Call, attempt: Attempt): Promise<KeptAnswer | undefined> => {
  const place = identify(call, attempt)
  const nowMs = call.clock()
  await call.db.run(`delete from idempotent_requests where ${samePlace} and created_at <= ?`, [
    ...place,
    nowMs - keptForMs,
  ])
  const inserted = await call.db.run(
    `insert into idempotent_requests (tenant_id, key_id, route, idempotency_key, fingerprint, answer, created_at)
     values (?, ?, ?, ?, ?, '', ?) on conflict (tenant_id, key_id, route, idempotency_key) do nothing`,
    [...place, attempt.fingerprint, nowMs],
  )
  if (inserted === 1) return undefined
  const kept = (await call.db.get<KeptRow>(
    `select fingerprint, answer from idempotent_requests where ${samePlace}`,
    place,
  ))!
  if (kept.fingerprint !== attempt.fingerprint) {
    throw new AppError('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was used with another request. Use a new one.')
  }
  return JSON.parse(kept.answer) as KeptAnswer
}

const stillRunning = (): AppError =>
  new AppError('CONFLICT', 'The first request with this Idempotency-Key is still running. Try again in a second.', {
    retryAfter: 1,
  })

/**
 * Lets `work` act once for an idempotency key: its record commits with the work itself, and a repeat gets the first
 * answer. `work` says what to answer and, where that differs, what to keep of it.
 */
export const once = async <A>(
  call: Call,
  attempt: Attempt,
  work: (call: Call) => Promise<{ answer: A; kept: KeptAnswer }>,
): Promise<{ answer: A } | { replay: KeptAnswer }> => {
  const identity = JSON.stringify(identify(call, attempt))
  if (underWay.has(identity)) throw stillRunning()
  underWay.add(identity)
  try {
    return await changing(call, async (call) => {
      const replay = await begin(call, attempt)
      if (replay) return { replay }
      const { answer, kept } = await work(call)
      await call.db.run(`update idempotent_requests set answer = ? where ${samePlace}`, [
        JSON.stringify(kept),
        ...identify(call, attempt),
      ])
      return { answer }
    })
  } finally {
    underWay.delete(identity)
  }
}
