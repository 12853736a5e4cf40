import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from '../call.js'
import { invalid } from '../errors.js'
import type { OperationCall } from '../operations/operation.js'
import { type Answer, sendAnswer } from './answer.js'

const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const header = request.headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header !== 'string' || header.length < 1 || header.length > 255) {
    throw invalid({ path: 'Idempotency-Key', message: 'must have 1 to 255 characters' })
  }
  return header
}

export type Once = Answer & { isReplay?: boolean }

/** Runs a POST, which with an Idempotency-Key acts once however often it is sent. */
export const answerOnce = async (
  request: FastifyRequest,
  call: OperationCall,
  work: (call: Call) => Promise<Answer>,
): Promise<Once> => {
  const idempotencyKey = idempotencyKeyOf(request)
  if (idempotencyKey === undefined) return work(call)

  const route = `${request.method} ${request.routeOptions.url}`
  const fingerprint = hash('sha256', JSON.stringify([request.url, request.body ?? null]), 'hex')
  const outcome = await call.core.idempotency.once(call, { route, idempotencyKey, fingerprint }, async (call) => {
    const answer = await work(call)
    const { status, headers, body, replayBody = body, isEmpty } = answer
    return { answer, ...(!isEmpty && { kept: { status, headers, body: replayBody } }) }
  })
  return 'answer' in outcome ? outcome.answer : { ...outcome.replay, isReplay: true }
}

export const sendOnce = (reply: FastifyReply, { isReplay, ...answer }: Once): FastifyReply => {
  if (isReplay) reply.header('idempotency-replayed', 'true')
  return sendAnswer(reply, answer)
}
