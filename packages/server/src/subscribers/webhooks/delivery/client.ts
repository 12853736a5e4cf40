import type { LookupAddress } from 'node:dns'
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { version } from '../../../config.js'
import type { Targets } from '../target.js'
import { readResponse } from './response.js'

/** How an attempt ended. Without a status there was no answer. */
export interface AttemptResult {
  status: number | null
  /** The start of the answer's body. */
  body: string
  error: string | null
  durationMs: number
  retryAfterMs: number | null
}

export interface DeliveryClient {
  post(url: string, headers: Record<string, string>, body: string): Promise<AttemptResult>
  /** Aborts the requests under way. */
  close(): void
  isClosed(): boolean
}

/** A worker reuses its connection; one that nobody used for this long is closed. */
const idleConnectionMs = 30_000
const agentSettings = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo', timeout: idleConnectionMs } as const

/** A kept connection that the receiver closed in this very moment says nothing about the receiver. */
const isStaleConnection = (request: ClientRequest, error: NodeJS.ErrnoException): boolean =>
  request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

export const createDeliveryClient = (targets: Targets, timeoutMs: number): DeliveryClient => {
  const agents = { 'http:': new HttpAgent(agentSettings), 'https:': new HttpsAgent(agentSettings) }
  const underWay = new Set<ClientRequest>()
  let isClosed = false

  const lookupFor =
    (url: URL): LookupFunction =>
    (_host, options, done) => {
      targets.resolve(url).then(
        (addresses: LookupAddress[]) => {
          const first = addresses[0]!
          if (options.all) (done as unknown as (error: null, all: LookupAddress[]) => void)(null, addresses)
          else done(null, first.address, first.family)
        },
        (error) => done(error, '', 4),
      )
    }

  /** The name may have been resolved to something else since it was looked at. */
  const checkConnection = (url: URL, socket: Socket): void => {
    const check = (): void => {
      const problem = targets.problemOfAddress(url, socket.remoteAddress ?? '')
      if (problem) socket.destroy(new Error(`the url ${problem}`))
    }
    if (socket.connecting) socket.once('connect', check)
    else check()
  }

  const open = (url: URL, headers: Record<string, string>, body: string): ClientRequest => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = send(url, {
      method: 'POST',
      agent: agents[url.protocol as 'http:' | 'https:'],
      lookup: lookupFor(url),
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        // What is not unpacked cannot explode.
        'accept-encoding': 'identity',
        'user-agent': `Worklore/${version}`,
        ...headers,
      },
    })
    request.on('socket', (socket) => checkConnection(url, socket))
    return request
  }

  const once = (
    url: URL,
    headers: Record<string, string>,
    body: string,
    deadlineMs: number,
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = open(url, headers, body)
      underWay.add(request)
      const timer = setTimeout(
        () => request.destroy(new Error(`no response within ${timeoutMs / 1000} seconds`)),
        deadlineMs - performance.now(),
      )
      request.on('response', resolve)
      request.on('error', (error) => reject(isStaleConnection(request, error) ? new Error('stale') : error))
      request.on('close', () => {
        clearTimeout(timer)
        underWay.delete(request)
        reject(new Error('the connection was closed without a response'))
      })
      request.end(body)
    })

  return {
    post: async (text, headers, body) => {
      const startedAt = performance.now()
      const deadlineMs = startedAt + timeoutMs
      const url = new URL(text)
      const durationMs = (): number => Math.round(performance.now() - startedAt)
      try {
        // A literal address is connected to without being looked up.
        if (targets.literalProblem(url)) throw new Error(`the url ${targets.literalProblem(url)}`)
        const response = await once(url, headers, body, deadlineMs).catch((error: Error) => {
          if (error.message !== 'stale') throw error
          return once(url, headers, body, deadlineMs)
        })
        const answer = await readResponse(response)
        return { ...answer, durationMs: durationMs() }
      } catch (error) {
        const { message, code } = error as NodeJS.ErrnoException
        const reason = message || code || 'the connection failed'
        return { status: null, body: '', error: reason, durationMs: durationMs(), retryAfterMs: null }
      }
    },
    isClosed: () => isClosed,
    close: () => {
      isClosed = true
      for (const request of underWay) request.destroy(new Error('the service is shutting down'))
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}
