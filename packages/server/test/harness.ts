import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createService, type Service } from '../src/app.js'
import { type Config, readConfig } from '../src/config.js'
import { openDb } from '../src/db/open.js'
import type { ConnectionSettings } from '../src/http/connections.js'
import type { WorkSlotSettings } from '../src/limits/work-slots.js'
import { createLogger } from '../src/logger.js'
import type { McpOptions } from '../src/mcp/answer.js'
import type { SearchOptions } from '../src/search/start.js'
import type { DeliverySettings } from '../src/webhooks/delivery-dispatcher.js'
import type { Engine, TestStore } from './engines.js'
import { createDocumentCheck, type DocumentCheck } from './openapi-check.js'
import { testSecretKey } from './program.js'
import { createTenantWall } from './tenant-wall.js'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The parsed body; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
}

export interface RequestOptions {
  key?: string | null
  body?: unknown
  /** Sent as it is, instead of `body`. */
  rawBody?: string | Buffer
  headers?: Record<string, string>
}

export interface TestService {
  service: Service
  store: TestStore
  baseUrl: string
  adminKey: string
  /** Sends a request over a real socket; the path is sent byte for byte. Each answer is held against the document. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  get(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body: unknown, options?: RequestOptions): Promise<Answer>
  put(path: string, body: unknown, options?: RequestOptions): Promise<Answer>
  patch(path: string, body: unknown, options?: RequestOptions): Promise<Answer>
  delete(path: string, options?: RequestOptions): Promise<Answer>
  /** Lets the service's clock run ahead. */
  passTime(ms: number): void
  stop(): Promise<void>
}

export interface HarnessOptions {
  config?: Partial<Config>
  /** Share a store with another node; it stays when this one stops. */
  store?: TestStore
  webhooks?: Partial<DeliverySettings>
  search?: SearchOptions
  connections?: Partial<ConnectionSettings>
  /** The service's time stands still but for `passTime`. */
  isTimeStill?: boolean
  workSlots?: Partial<WorkSlotSettings>
  mcp?: McpOptions
  /** Where the built web console is; null for none. */
  consoleFolder?: string | null
}

export const testAdminKey = 'test-admin-key-0123456789-abcdefghij'

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

export const send = (baseUrl: string, method: string, path: string, options: RequestOptions = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl)
    const payload = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    const headers: Record<string, string> = {
      ...(payload !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(payload)),
      }),
      ...(options.key && { authorization: `Bearer ${options.key}` }),
      ...options.headers,
    }
    const outgoing = httpRequest({ hostname, port, method, path, headers, agent }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const isJson = incoming.headers['content-type']?.startsWith('application/json') && text !== ''
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          body: isJson ? JSON.parse(text) : undefined,
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(payload)
  })

/** What a table holds, for all tenants, as a look past the service shows it. */
export const rowsOf = async <R>({ store }: TestService, statement: string): Promise<R[]> => {
  const db = await openDb(store)
  try {
    return await db.all<R>(statement)
  } finally {
    await db.close()
  }
}

/** The whole service on a real store and a real socket, on a plan without practical limits. */
export const startService = async (engine: Engine, options: HarnessOptions = {}): Promise<TestService> => {
  const store = options.store ?? (await engine.createPreparedStore())
  const config: Config = {
    ...readConfig({}),
    ...store,
    port: 0,
    logLevel: 'silent',
    adminKey: testAdminKey,
    plan: 'self-hosted',
    secretKey: testSecretKey,
    // The model is for the tests that are about it.
    embeddings: 'off',
    ...options.config,
  }
  const startMs = Date.now()
  let aheadMs = 0
  const nowMs = options.isTimeStill ? () => startMs : Date.now
  const wall = createTenantWall()
  const service = await createService(config, createLogger(config.logLevel), {
    clock: () => nowMs() + aheadMs,
    observeStatement: wall.observe,
    ...(options.webhooks && { webhooks: options.webhooks }),
    ...(options.search && { search: options.search }),
    ...(options.connections && { connections: options.connections }),
    ...(options.workSlots && { workSlots: options.workSlots }),
    ...(options.mcp && { mcp: options.mcp }),
    ...(options.consoleFolder !== undefined && { consoleFolder: options.consoleFolder }),
  })
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  let check: DocumentCheck | undefined

  const request = async (method: string, path: string, { key = testAdminKey, ...rest }: RequestOptions = {}) => {
    const answer = await send(baseUrl, method, path, { key, ...rest })
    check ??= createDocumentCheck((await send(baseUrl, 'GET', '/openapi.json')).body)
    check(method, path, answer)
    return answer
  }
  return {
    service,
    store,
    baseUrl,
    adminKey: testAdminKey,
    request,
    get: (path, more) => request('GET', path, more),
    post: (path, body, more) => request('POST', path, { body, ...more }),
    put: (path, body, more) => request('PUT', path, { body, ...more }),
    patch: (path, body, more) => request('PATCH', path, { body, ...more }),
    delete: (path, more) => request('DELETE', path, more),
    passTime: (ms) => {
      aheadMs += ms
    },
    stop: async () => {
      await service.close()
      if (!options.store) await store.remove()
      wall.check()
    },
  }
}
