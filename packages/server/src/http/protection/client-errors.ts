import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorCodes } from '../../base/error-reasons.js'
import { AppError, invalid } from '../../base/errors.js'
import { randomBase62 } from '../../base/ids.js'
import { rateLimitHeaders } from '../../limits/headers.js'
import type { Limiter } from '../../limits/limiter.js'
import { noStore } from '../caching/headers.js'
import { errorBody } from '../errors.js'

const errorOf = (code: string | undefined): AppError => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers', 'The request headers exceed 16 KiB. Send fewer or shorter headers.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('timeout', 'Request timed out before it was received completely. Send it again.')
    default:
      return new AppError('malformed', 'Invalid HTTP/1.1 request.')
  }
}

const rawResponse = (error: AppError, address: string | undefined, limiter: Limiter) => {
  const requestId = `req_${randomBase62(12)}`
  const body = errorBody(error, requestId)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': noStore,
    Connection: 'close',
    'X-Request-Id': requestId,
    ...rateLimitHeaders(limiter.takeAnonymous(address ?? '')),
  }
  return { status: errorCodes[error.code], headers, body }
}

const endSocket = (socket: Duplex, { status, headers, body }: ReturnType<typeof rawResponse>): void => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Answers what fails before it is a request at all, in the same form as every other error. */
export const answerClientError = (error: NodeJS.ErrnoException, socket: Socket, limiter: Limiter): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  endSocket(socket, rawResponse(errorOf(error.code), socket.remoteAddress, limiter))
}

/** Answers what Node would answer by itself, or not at all. */
export const answerOutsideRoutes = (server: Server, limiter: Limiter): void => {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const error = invalid({ path: 'Expect', message: 'must be 100-continue' })
    const { status, headers, body } = rawResponse(error, request.socket.remoteAddress, limiter)
    response.writeHead(status, headers).end(body)
  })
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const error = new AppError('method', 'CONNECT is not supported.')
    socket.on('error', () => socket.destroy())
    endSocket(socket, rawResponse(error, request.socket.remoteAddress, limiter))
  })
}
