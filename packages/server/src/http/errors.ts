import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, errorCodes, invalid, type Reference } from '../base/errors.js'
import { operationCounter } from './api/call-extras.js'
import { requestNames } from './api/request.js'
import { discardBody, isTooLarge } from './protection/too-large.js'

/** What the framework itself finds wrong, in our words. */
const ofFramework = (error: FastifyError): AppError | undefined => {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('PAYLOAD_TOO_LARGE', 'The request body is too large. Send a smaller one.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON with "Content-Type: application/json".')
    case 'FST_ERR_BAD_URL':
      return invalid({ path: 'url', message: 'is not a valid percent-encoded path' })
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? new AppError('VALIDATION_ERROR', `Invalid request: ${error.message}.`)
        : undefined
  }
}

export const toAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error
  return (
    ofFramework(error as FastifyError) ??
    new AppError(
      'INTERNAL_ERROR',
      'Internal error. Try again; if it persists, report the requestId.',
      {},
      { cause: error },
    )
  )
}

const hints: Record<Exclude<Reference, keyof typeof claimInstructions>, string> = {
  me: 'GET /v1/me lists the projects of this key.',
  projects: 'GET /v1/projects lists the projects.',
  users: 'GET /v1/users lists the users.',
  tasks: 'GET /v1/tasks lists the tasks.',
  knowledge: 'GET /v1/knowledge?fields=key lists the keys.',
  force: 'Repeat the request with ?force=true.',
}

/** Said in the message itself and not as a hint: it is what the request lacks. */
const claimInstructions = {
  claim: 'Send the token in the Worklore-Claim header.',
  holder: 'Its holder sends the token in the Worklore-Claim header.',
}

export const errorBody = ({ code, message, extras }: AppError, requestId: string): string => {
  const { see, ...shown } = extras
  if (see === 'claim' || see === 'holder') {
    return JSON.stringify({ error: { code, message: `${message} ${claimInstructions[see]}`, requestId, ...shown } })
  }
  return JSON.stringify({ error: { code, message, requestId, ...(see && { hint: hints[see] }), ...shown } })
}

export const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const known = toAppError(error)
  const status = errorCodes[known.code]
  if (known.code === 'INTERNAL_ERROR')
    request.log.error({ err: known.cause, ...requestNames(request) }, 'request failed')
  if (known.code === 'SERVICE_UNAVAILABLE')
    request.log.warn({ err: known.cause, ...requestNames(request) }, known.message)
  if (known.code === 'UNAUTHORIZED')
    reply.header('www-authenticate', request.server.challengeOf(request, known.extras.reason))
  if (known.extras.retryAfter !== undefined) reply.header('retry-after', String(known.extras.retryAfter))
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(errorBody(known, request.id))
}

/** What cannot be read is made of nothing that could be counted, and counts as one request. */
const countAndSend = async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  try {
    await operationCounter(request, reply)([undefined])
  } catch (refusal) {
    return sendError(refusal, request, reply)
  }
  return sendError(error, request, reply)
}

export const registerErrorHandler = (app: FastifyInstance): void => {
  app.setErrorHandler((error, request, reply) => {
    const send = request.countsLater ? countAndSend : sendError
    if (!isTooLarge(error)) return send(error, request, reply)
    return discardBody(request).then(() => send(error, request, reply))
  })
}
