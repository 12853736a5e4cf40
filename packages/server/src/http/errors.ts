import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorCodes } from '../base/error-reasons.js'
import { AppError, invalid } from '../base/errors.js'
import { operationCounter } from './api/call-extras.js'
import { requestNames } from './api/request.js'
import { httpTextOf } from './error-sentences.js'
import { discardBody, isTooLarge } from './protection/too-large.js'

/** What the framework itself finds wrong, in our words. */
const ofFramework = (error: FastifyError): AppError | undefined => {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('too_large', 'The request body is too large. Send a smaller one.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new AppError('media_type', 'Send the body as JSON with "Content-Type: application/json".')
    case 'FST_ERR_BAD_URL':
      return invalid({ path: 'url', message: 'is not a valid percent-encoded path' })
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? new AppError('malformed', `Invalid request: ${error.message}.`)
        : undefined
  }
}

export const toAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error
  return (
    ofFramework(error as FastifyError) ?? new AppError('internal', 'Internal error. Try again.', {}, { cause: error })
  )
}

/** Returns the `error` of a response or of a stream's last message. */
export const errorFields = ({ code, reason, message, params }: AppError) => ({
  code,
  reason,
  ...httpTextOf(reason, message, params),
  ...params,
})

export const errorBody = (error: AppError, requestId: string): string =>
  JSON.stringify({ error: { ...errorFields(error), requestId } })

export const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const known = toAppError(error)
  const status = errorCodes[known.code]
  if (known.code === 'INTERNAL_ERROR')
    request.log.error({ err: known.cause, ...requestNames(request) }, 'request failed')
  if (known.code === 'SERVICE_UNAVAILABLE')
    request.log.warn({ err: known.cause, ...requestNames(request) }, known.message)
  if (known.code === 'UNAUTHORIZED') reply.header('www-authenticate', request.server.challengeOf(request, known.reason))
  if (known.params.retryAfter !== undefined) reply.header('retry-after', String(known.params.retryAfter))
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
