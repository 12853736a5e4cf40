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
const maxConnections = 20

const isSigned = (body: Buffer, signature: string | undefined, secret: string): boolean => {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(signature ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
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
    const body = await readBody(request)
    if (body === undefined) return 413
    const signature = request.headers['x-hub-signature-256']
    if (!isSigned(body, typeof signature === 'string' ? signature : undefined, secret)) return 401
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
