import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { request as httpsRequest } from 'node:https'

/** As `Exchange` in src, whose types are those of browsers. */
interface WireRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  signal?: AbortSignal | undefined
  isStream?: boolean | undefined
}

/** Between programs of one machine, to compress costs more than to send. */
const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

const headersOf = (url: URL, { headers, body, isStream }: WireRequest): Record<string, string | number> => ({
  ...(!isStream && !isLoopback(url) && { 'accept-encoding': 'gzip' }),
  ...headers,
  ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
})

const textOf = async (answer: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (answer.headers['content-encoding'] !== 'gzip') return bytes.toString()
  const { gunzip } = await import('node:zlib')
  return new Promise((resolve, reject) =>
    gunzip(bytes, (error, text) => (error ? reject(error) : resolve(text.toString()))),
  )
}

const requestFor = async ({ protocol }: URL): Promise<typeof httpRequest | typeof httpsRequest> =>
  protocol === 'https:' ? (await import('node:https')).request : httpRequest

/** By Node's own HTTP client: the first `fetch` of a process takes more CPU than all the rest of a short program. */
export const ownExchange = async (address: string, wireRequest: WireRequest) => {
  const url = new URL(address)
  const request = await requestFor(url)
  const { method, body, signal } = wireRequest
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, headers: headersOf(url, wireRequest), ...(signal && { signal }) }, resolve)
    // Also after the answer has begun, where reading it tells of the failure.
    sent.on('error', reject)
    sent.end(body)
  })
  return {
    status: answer.statusCode!,
    header: (name: string): string | undefined => answer.headers[name]?.toString(),
    text: () => textOf(answer),
    chunks: (): AsyncIterable<Uint8Array> => answer,
  }
}
