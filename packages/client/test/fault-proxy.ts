import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What can go wrong between a client and the service. "Lost" ones act before the trouble comes. */
export type Fault =
  | 'none'
  | 'rate limited'
  | 'rate limited for an hour'
  | 'rate limited, wait unsaid'
  | 'unavailable'
  | 'unavailable, wait unsaid'
  | 'bad gateway'
  | 'bad gateway, lost'
  | 'reset'
  | 'reset, lost'
  | 'slow, lost'
  | 'cut, lost'
  | 'delivered twice'

interface ProxyRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: Buffer
}

export interface FaultProxy {
  url: string
  /** Every request that came, in order. */
  requests: ProxyRequest[]
  /** How often each fault was put in. */
  counts: Map<Fault, number>
  /** The faults of the next requests, one each; then none. */
  queue: Fault[]
  /** Decides where the queue is empty. */
  choose: (request: ProxyRequest) => Fault
  /** Streams are cut after this many milliseconds. */
  cutStreamsAfterMs: number | undefined
  stop(): Promise<void>
}

export interface FaultProxyOptions {
  /** How late a slow answer is: more than the client's timeout. */
  slowMs?: number
  /** Answered by the proxy itself, by path. */
  pages?: Record<string, (request: ProxyRequest) => { type: string; body: string | Buffer }>
}

interface Forwarded {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const refusal = (status: number, code: string, retryAfter: number | undefined): Forwarded => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ error: { code, message: 'from the proxy', requestId: 'req_proxy', retryAfter } })),
})

/** An HTTP proxy in front of the service that puts a fault into any request. */
export const startFaultProxy = async (target: string, options: FaultProxyOptions = {}): Promise<FaultProxy> => {
  const { slowMs = 1_000, pages = {} } = options
  const { hostname, port } = new URL(target)
  // Closes idle connections before the service does: what is sent on one that is being closed is lost.
  const agent = new Agent({ keepAlive: true, timeout: 30_000 })

  const forward = (request: ProxyRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = request
      httpRequest({ hostname, port, method, path, headers, agent }, resolve).on('error', reject).end(body)
    })

  const forwardWhole = async (request: ProxyRequest): Promise<Forwarded> => {
    const message = await forward(request)
    return { status: message.statusCode!, headers: message.headers, body: await bodyOf(message) }
  }

  const answer = (response: ServerResponse, { status, headers, body }: Forwarded): void => {
    response.writeHead(status, { ...headers, 'content-length': body.length, connection: 'keep-alive' }).end(body)
  }

  const pass = async (request: ProxyRequest, response: ServerResponse): Promise<void> => {
    const message = await forward(request)
    if (!message.headers['content-type']?.startsWith('text/event-stream')) {
      answer(response, { status: message.statusCode!, headers: message.headers, body: await bodyOf(message) })
      return
    }
    response.writeHead(message.statusCode!, message.headers).flushHeaders()
    message.on('error', () => response.destroy())
    response.on('close', () => message.destroy())
    message.pipe(response)
    if (proxy.cutStreamsAfterMs !== undefined) setTimeout(() => response.destroy(), proxy.cutStreamsAfterMs)
  }

  const cut = (response: ServerResponse, { status, headers, body }: Forwarded): void => {
    response.writeHead(status, { ...headers, 'content-length': body.length })
    response.write(body.subarray(0, body.length >> 1), () => response.destroy())
  }

  const serve = async (fault: Fault, request: ProxyRequest, response: ServerResponse): Promise<void> => {
    switch (fault) {
      case 'none':
        return pass(request, response)
      case 'rate limited':
        return answer(response, refusal(429, 'RATE_LIMIT_EXCEEDED', 1))
      case 'rate limited for an hour':
        return answer(response, refusal(429, 'RATE_LIMIT_EXCEEDED', 3_600))
      case 'rate limited, wait unsaid':
        return answer(response, refusal(429, 'RATE_LIMIT_EXCEEDED', undefined))
      case 'unavailable':
        return answer(response, refusal(503, 'SERVICE_UNAVAILABLE', 1))
      case 'unavailable, wait unsaid':
        return answer(response, { status: 503, headers: {}, body: Buffer.from('<h1>Service Unavailable</h1>') })
      case 'bad gateway, lost':
        await forwardWhole(request)
        return answer(response, { status: 502, headers: {}, body: Buffer.from('<h1>Bad Gateway</h1>') })
      case 'bad gateway':
        return answer(response, { status: 504, headers: {}, body: Buffer.from('<h1>Gateway Timeout</h1>') })
      case 'reset, lost':
        await forwardWhole(request)
        return void response.socket?.resetAndDestroy()
      case 'reset':
        return void response.socket?.resetAndDestroy()
      case 'slow, lost': {
        const forwarded = await forwardWhole(request)
        await new Promise((done) => setTimeout(done, slowMs))
        return answer(response, forwarded)
      }
      case 'cut, lost':
        return cut(response, await forwardWhole(request))
      case 'delivered twice': {
        const [, second] = await Promise.all([forwardWhole(request), forwardWhole(request)])
        return answer(response, second)
      }
    }
  }

  const server = createServer(async (message, response) => {
    const request: ProxyRequest = {
      method: message.method!,
      path: message.url!,
      headers: message.headers,
      body: await bodyOf(message),
    }
    const page = pages[request.path]?.(request)
    if (page) return void response.writeHead(200, { 'content-type': page.type }).end(page.body)
    proxy.requests.push(request)
    const fault = proxy.queue.shift() ?? proxy.choose(request)
    proxy.counts.set(fault, (proxy.counts.get(fault) ?? 0) + 1)
    await serve(fault, request, response).catch(() => response.destroy())
  })
  // It never closes a connection that the client is about to use.
  server.keepAliveTimeout = 0
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))

  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    counts: new Map(),
    queue: [],
    choose: () => 'none',
    cutStreamsAfterMs: undefined,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      agent.destroy()
    },
  }
  return proxy
}
