import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../../base/errors.js'
import type { Result } from '../../operations/result.js'
import type { Once } from '../../operations/run-operation.js'
import type { Answer } from './answer.js'
import { routeOf } from './request.js'

const idempotencyKeyOf = ({ headers }: FastifyRequest): string | undefined => {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header !== 'string' || header.length < 1 || header.length > 255) {
    throw invalid({ path: 'Idempotency-Key', message: 'must have 1 to 255 characters' })
  }
  return header
}

/** With an Idempotency-Key a request acts once, however often it is sent. */
export const onceOf = (request: FastifyRequest, answerOf: (result: Result) => Answer): Once | undefined => {
  const idempotencyKey = idempotencyKeyOf(request)
  if (idempotencyKey === undefined) return undefined
  const fingerprint = hash('sha256', JSON.stringify([request.url, request.body ?? null]), 'hex')
  return {
    attempt: { route: routeOf(request), idempotencyKey, fingerprint },
    keep: (result) => {
      const { status, headers, body, replayBody = body } = answerOf(result)
      return { status, headers, body: replayBody }
    },
  }
}
