import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  event: any
  atMs: number
}

type Behaviour = (response: ServerResponse, received: Received) => void

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body)
  }

export interface Receiver {
  url: string
  received: Received[]
  /** How it answers from now on. */
  behave(behaviour: Behaviour): void
  /** Waits until so many requests, or those that a test asks for, have come. */
  until(enough: number | ((received: Received[]) => boolean), withinMs?: number): Promise<Received[]>
  close(): Promise<void>
}

/** The other side of a webhook: a real server on a real socket that does as a test tells it. */
export const startReceiver = async (port = 0): Promise<Receiver> => {
  const received: Received[] = []
  let behaviour: Behaviour = answer(200, {}, 'thanks')
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const entry = {
        path: request.url ?? '',
        headers: request.headers,
        text,
        event: JSON.parse(text),
        atMs: performance.now(),
      }
      received.push(entry)
      behaviour(response, entry)
    })
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    behave: (next) => {
      behaviour = next
    },
    until: async (enough, withinMs = 120_000) => {
      const isEnough = typeof enough === 'number' ? () => received.length >= enough : () => enough(received)
      const deadlineMs = performance.now() + withinMs
      while (!isEnough()) {
        if (performance.now() > deadlineMs) {
          throw new Error(
            `only ${received.length} requests came in ${withinMs} ms: ${received.map((r) => r.event.type)}`,
          )
        }
        await new Promise((done) => setTimeout(done, 10))
      }
      return received
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Asks again until an answer satisfies. */
export const eventually = async <T>(
  ask: () => Promise<T>,
  isRight: (value: T) => boolean,
  withinMs = 120_000,
): Promise<T> => {
  const deadlineMs = performance.now() + withinMs
  for (;;) {
    const value = await ask()
    if (isRight(value)) return value
    if (performance.now() > deadlineMs) throw new Error(`it stayed so: ${JSON.stringify(value).slice(0, 1_000)}`)
    await new Promise((done) => setTimeout(done, 20))
  }
}
