import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from '../call.js'
import { invalid } from '../errors.js'
import { type KeptAnswer, once } from '../idempotency/service.js'

export interface PostAnswer {
  status: number
  headers?: Record<string, string>
  body: string
  /** What a replay shows instead, where the first answer shows a secret. */
  replayBody?: string
}

const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const header = request.headers['idempotency-key']
  if (header === undefined) return undefined
  if (typeof header !== 'string' || header.length < 1 || header.length > 255) {
    throw invalid({ path: 'Idempotency-Key', message: 'must have 1 to 255 characters' })
  }
  return header
}

const send = (reply: FastifyReply, { status, headers, body }: PostAnswer | KeptAnswer): FastifyReply =>
  reply
    .code(status)
    .headers({ 'content-type': 'application/json; charset=utf-8', ...headers })
    .send(body)

/** Answers a POST, which with an Idempotency-Key acts once however often it is sent. */
export const answerOnce = async (
  request: FastifyRequest,
  reply: FastifyReply,
  work: (call: Call) => Promise<PostAnswer>,
): Promise<FastifyReply> => {
  const idempotencyKey = idempotencyKeyOf(request)
  if (idempotencyKey === undefined) return send(reply, await work(request.call))

  const route = `${request.method} ${request.routeOptions.url}`
  const fingerprint = hash('sha256', JSON.stringify([request.url, request.body ?? null]), 'hex')
  const outcome = await once(request.call, { route, idempotencyKey, fingerprint }, async (call) => {
    const answer = await work(call)
    const { status, headers = {}, body, replayBody = body } = answer
    return { answer, kept: { status, headers, body: replayBody } }
  })
  if ('answer' in outcome) return send(reply, outcome.answer)
  reply.header('idempotency-replayed', 'true')
  return send(reply, outcome.replay)
}
