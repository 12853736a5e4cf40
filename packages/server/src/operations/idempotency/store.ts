import type { Sql } from '../../db/port.js'

/** Identifies a request: the key that sent it, where to, and the idempotency key it came with. */
export interface RequestIdentity {
  tenantId: string
  keyId: string
  route: string
  idempotencyKey: string
}

interface StoredRequest {
  fingerprint: string
  /** JSON. */
  answer: string
}

const isSame = 'tenant_id = ? and key_id = ? and route = ? and idempotency_key = ?'
const params = ({ tenantId, keyId, route, idempotencyKey }: RequestIdentity): string[] => [
  tenantId,
  keyId,
  route,
  idempotencyKey,
]

/** As it was stored since after the given time. */
export const findRequest = async (
  db: Sql,
  identity: RequestIdentity,
  createdAfterMs: number,
): Promise<StoredRequest | undefined> =>
  db.get(`select fingerprint, answer from idempotent_requests where ${isSame} and created_at > ?`, [
    ...params(identity),
    createdAfterMs,
  ])

/** Whether it is stored since after the given time. */
export const hasRequest = async (db: Sql, identity: RequestIdentity, createdAfterMs: number): Promise<boolean> => {
  const text = `select 1 as one from idempotent_requests where ${isSame} and created_at > ?`
  return (await db.lookup(text, [...params(identity), createdAfterMs])) !== undefined
}

/** Stores a request, in place of an expired one. */
export const putRequest = async (
  db: Sql,
  identity: RequestIdentity,
  { fingerprint, answer }: StoredRequest,
  nowMs: number,
): Promise<void> => {
  await db.run(
    `insert into idempotent_requests (tenant_id, key_id, route, idempotency_key, fingerprint, answer, created_at)
     values (?, ?, ?, ?, ?, ?, ?) on conflict (tenant_id, key_id, route, idempotency_key)
     do update set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`,
    [...params(identity), fingerprint, answer, nowMs],
  )
}

export const setAnswer = async (db: Sql, identity: RequestIdentity, answer: string): Promise<void> => {
  await db.run(`update idempotent_requests set answer = ? where ${isSame}`, [answer, ...params(identity)])
}

/** Stored answers after one, in the order of their keys. */
export const listAnswersAfter = async (
  db: Sql,
  tenantId: string,
  after: readonly [keyId: string, route: string, idempotencyKey: string],
  count: number,
): Promise<(Omit<RequestIdentity, 'tenantId'> & { answer: string })[]> =>
  db.all(
    `select key_id as "keyId", route, idempotency_key as "idempotencyKey", answer from idempotent_requests
     where tenant_id = ? and (key_id, route, idempotency_key) > (?, ?, ?)
     order by key_id, route, idempotency_key limit cast(? as bigint)`,
    [tenantId, ...after, count],
  )
