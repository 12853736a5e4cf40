import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'

interface WebhookOptions {
  host: string
  port: number
  secret: string
  /** `owner/name`. */
  repo: string
  onIssue(number: number): void
}

/** GitHub sends at most 25 MB. */
const maxBodyBytes = 25 * 1_024 * 1_024
/** Enough for any delivery about an issue, whose texts have at most 65,536 characters each. */
const maxKeptBytes = 2 * 1_024 * 1_024
const maxConnections = 20

const signaturePattern = /^sha256=([0-9a-f]{64})$/

interface Received {
  isSigned: boolean
  /** Undefined for a body over `maxKeptBytes`. */
  body: Buffer | undefined
}

/** Hashes the body as it arrives, and keeps it only up to `maxKeptBytes`. Returns undefined if it exceeds `maxBodyBytes`. */
const receive = async (request: IncomingMessage, signature: string, secret: string): Promise<Received | undefined> => {
  const hash = createHmac('sha256', secret)
  let kept: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) return undefined
    hash.update(chunk)
    if (size <= maxKeptBytes) kept.push(chunk)
    else kept = []
  }
  const isSigned = timingSafeEqual(hash.digest(), Buffer.from(signature, 'hex'))
  return { isSigned, body: size > maxKeptBytes ? undefined : Buffer.concat(kept) }
}

interface Payload {
  repository?: { full_name?: string }
  issue?: { number?: number }
  pull_request?: { number?: number }
}

/** Takes GitHub's webhooks. A delivery only says which issue to look at: what it contains is read from GitHub. */
export const startWebhookServer = async (options: WebhookOptions): Promise<Server> => {
  const { host, port, secret, repo, onIssue } = options
  const statusOf = async (request: IncomingMessage): Promise<number> => {
    if (request.method !== 'POST') return 405
    if (Number(request.headers['content-length']) > maxBodyBytes) return 413
    const [, signature] = signaturePattern.exec(String(request.headers['x-hub-signature-256'])) ?? []
    if (signature === undefined) return 401
    const received = await receive(request, signature, secret)
    if (received === undefined) return 413
    const { isSigned, body } = received
    if (!isSigned) return 401
    // The body is too large to parse. The next poll of GitHub finds the change.
    if (body === undefined) return 202
    let payload: Payload
    try {
      payload = JSON.parse(body.toString('utf8')) as Payload
    } catch {
      return 400
    }
    if (payload?.repository?.full_name?.toLowerCase() !== repo.toLowerCase()) return 202
    const number = payload.issue?.number ?? payload.pull_request?.number
    if (typeof number === 'number') onIssue(number)
    return 202
  }
  const server = createServer((request, response) => {
    statusOf(request)
      .catch(() => 400)
      .then((status) => response.writeHead(status, { connection: status < 300 ? 'keep-alive' : 'close' }).end())
  })
  server.maxConnections = maxConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server
}
