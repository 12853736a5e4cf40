import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../base/errors.js'
import { mcpPaths } from '../http/api/request.js'
import { sendError } from '../http/errors.js'
import { discardBody, isTooLarge } from '../http/protection/too-large.js'
import type { Core } from '../operations/core.js'
import type { McpAnswers, McpOptions } from './answer.js'
import { sendProtocolError } from './protocol-error.js'

const loopback = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** A page in a browser says where it is from, and may call only from places that are known. */
const checkOrigin = ({ headers }: FastifyRequest, allowed: readonly string[]): void => {
  const { origin } = headers
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin) || loopback.test(origin)) return
  throw new AppError('origin', 'Pages of this origin may not call /mcp. Add the origin to WORKLORE_CORS_ORIGINS.')
}

const invalidRequest = -32600

/**
 * Loading the protocol blocks the event loop for about 100 ms. So it is loaded before the first request, but not during
 * startup, which it would delay.
 */
const loadAfterMs = 5_000

/** Serves agents over the Model Context Protocol. */
export const registerMcp = (app: FastifyInstance, core: Core, options: McpOptions = {}): void => {
  const { config } = core
  // Content that is too large for the store is refused in the result of its tool, where a model reads it.
  const bodyLimit = config.bodyLimitBytes * 2
  let answers: Promise<McpAnswers> | undefined
  const load = async (): Promise<McpAnswers> => (await import('./answer.js')).createMcpAnswers(app.log, options)
  const loaded = (): Promise<McpAnswers> => {
    answers ??= load().catch((error) => {
      answers = undefined
      throw error
    })
    return answers
  }

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Whatever it is said to be: the protocol has an answer of its own to what is no JSON.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
    const loading = setTimeout(() => void loaded().catch(() => {}), loadAfterMs).unref()
    scope.addHook('onClose', async () => {
      clearTimeout(loading)
      await (await answers)?.close()
    })
    scope.setErrorHandler(async (error, request, reply) => {
      if (!isTooLarge(error)) return sendError(error, request, reply)
      await discardBody(request)
      const message = `PAYLOAD_TOO_LARGE: A message may have at most ${bodyLimit} bytes. Send a smaller one.`
      return sendProtocolError(reply, 413, { code: invalidRequest, message })
    })
    for (const path of mcpPaths) {
      scope.post(
        path,
        { bodyLimit, config: { isApi: true, via: 'mcp', answersRefusal: true } },
        async (request, reply) => {
          checkOrigin(request, config.corsOrigins)
          return (await loaded()).answer(request, reply)
        },
      )
    }
  })
}
