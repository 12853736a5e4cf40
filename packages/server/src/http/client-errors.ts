import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, errorCodes } from '../errors.js'
import { randomBase62 } from '../ids.js'
import { rateLimitHeaders } from '../limits/headers.js'
import type { Limiter } from '../limits/limiter.js'
import { errorBody } from './errors.js'

const errorOf = (code: string | undefined): AppError => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('HEADERS_TOO_LARGE', 'The headers have more than 16 KiB. Send fewer or shorter ones.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('REQUEST_TIMEOUT', 'The request did not arrive in time. Send it again, faster.')
    default:
      return new AppError('VALIDATION_ERROR', 'This is not valid HTTP/1.1.')
  }
}

/** Answers what fails before it is a request at all, in the same form as every other error. */
export const answerClientError = (error: NodeJS.ErrnoException, socket: Socket, limiter: Limiter): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const known = errorOf(error.code)
  const status = errorCodes[known.code]
  const requestId = `req_${randomBase62(12)}`
  const body = errorBody(known, requestId)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    'X-Request-Id': requestId,
    ...rateLimitHeaders(limiter.takeAnonymous(socket.remoteAddress ?? '')),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}
