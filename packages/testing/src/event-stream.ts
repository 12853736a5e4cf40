import { request as httpRequest, type IncomingMessage } from 'node:http'

interface StreamedEvent {
  id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: any
  name: string | undefined
  atMs: number
}

export interface EventStream {
  status: number
  response: IncomingMessage
  /** Without the first, which says where the stream starts. */
  events: StreamedEvent[]
  ready: StreamedEvent | undefined
  comments: string[]
  /** Resolves when the service ends the stream. */
  ended: Promise<void>
  until(count: number, withinMs?: number): Promise<StreamedEvent[]>
  close(): void
}

const fieldOf = (block: string, name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]

/** Reads Server-Sent Events as a client does. */
export const openStream = (
  url: string,
  key: string | null,
  headers: Record<string, string> = {},
): Promise<EventStream> =>
  new Promise((resolve, reject) => {
    const credentials = key === null ? {} : { authorization: `Bearer ${key}` }
    const outgoing = httpRequest(url, { headers: { ...credentials, ...headers } }, (response) => {
      const events: StreamedEvent[] = []
      const comments: string[] = []
      let ready: StreamedEvent | undefined
      let buffered = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        buffered += text
        const blocks = buffered.split('\n\n')
        buffered = blocks.pop()!
        for (const block of blocks) {
          if (block.startsWith(':')) comments.push(block)
          const data = fieldOf(block, 'data')
          if (data === undefined) continue
          const id = fieldOf(block, 'id') ?? ''
          const event = { id, data: JSON.parse(data), name: fieldOf(block, 'event'), atMs: performance.now() }
          if (event.name === 'ready') ready = event
          else events.push(event)
        }
      })
      response.on('error', () => {})
      resolve({
        status: response.statusCode ?? 0,
        response,
        events,
        get ready() {
          return ready
        },
        comments,
        ended: new Promise((done) => response.once('close', done)),
        until: async (count, withinMs = 120_000) => {
          const deadlineMs = performance.now() + withinMs
          while (events.length < count) {
            if (performance.now() > deadlineMs) throw new Error(`only ${events.length} of ${count} events came`)
            await new Promise((done) => setTimeout(done, 5))
          }
          return events
        },
        close: () => outgoing.destroy(),
      })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
