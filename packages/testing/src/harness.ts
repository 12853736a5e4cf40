import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createService, type Service } from 'worklore/dist/src/app.js'
import { type Config, readConfig } from 'worklore/dist/src/config.js'
import { openDb } from 'worklore/dist/src/db/open.js'
import { everyGroup } from 'worklore/dist/src/db/port.js'
import type { ConnectionSettings } from 'worklore/dist/src/http/protection/connections.js'
import type { WorkSlotSettings } from 'worklore/dist/src/limits/work-slots.js'
import type { McpOptions } from 'worklore/dist/src/mcp/answer.js'
import { createLogger } from 'worklore/dist/src/observability/logger.js'
import type { Scheduler } from 'worklore/dist/src/scheduling/scheduler.js'
import type { SearchOptions } from 'worklore/dist/src/subscribers/search/start.js'
import type { DeliverySettings } from 'worklore/dist/src/subscribers/webhooks/delivery/dispatcher.js'
import { listTenants } from 'worklore/dist/src/tenancy/tenants/service.js'
import type { Engine, TestStore } from './engines.js'
import { keepStatement } from './kept-statements.js'
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

/** A tenant of a service, as its admin uses it. */
export interface TestTenant {
  service: Service
  baseUrl: string
  tenantId: string
  adminKey: string
  /** Sends a request over a real socket; the path is sent byte for byte. Each answer is held against the document. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  get(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body: unknown, options?: RequestOptions): Promise<Answer>
  put(path: string, body: unknown, options?: RequestOptions): Promise<Answer>
  patch(path: string, body: unknown, options?: RequestOptions): Promise<Answer>
  delete(path: string, options?: RequestOptions): Promise<Answer>
}

/** A service that a test has for itself, and its first tenant. */
export interface TestService extends TestTenant {
  store: TestStore
  /** Lets the service's clock run ahead. */
  passTime(ms: number): void
  /** Throws where a statement looked across tenants. */
  checkStatements(): void
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
  scheduler?: Scheduler
  mcp?: McpOptions
  /** Where the built web console is; null for none. */
  consoleFolder?: string | null
}

export const testAdminKey = 'test-admin-key-0123456789-abcdefghij'

/** Closes idle connections before the service does: what is sent on one that is being closed is lost. */
const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 30_000 })

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

/** The services of a process have one document; a check compiles the schema of an answer when it meets it. */
let documentCheck: Promise<DocumentCheck> | undefined

const readDocument = async (baseUrl: string): Promise<DocumentCheck> =>
  createDocumentCheck((await send(baseUrl, 'GET', '/openapi.json')).body)

export const tenantOf = (service: Service, tenantId: string, adminKey: string): TestTenant => {
  const { port } = service.app.server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  const request: TestTenant['request'] = async (method, path, { key = adminKey, ...rest } = {}) => {
    const answer = await send(baseUrl, method, path, { key, ...rest })
    documentCheck ??= readDocument(baseUrl)
    const check = await documentCheck
    check(method, path, answer)
    return answer
  }
  return {
    service,
    baseUrl,
    tenantId,
    adminKey,
    request,
    get: (path, more) => request('GET', path, more),
    post: (path, body, more) => request('POST', path, { body, ...more }),
    put: (path, body, more) => request('PUT', path, { body, ...more }),
    patch: (path, body, more) => request('PATCH', path, { body, ...more }),
    delete: (path, more) => request('DELETE', path, more),
  }
}

/** What a table holds, for all tenants, as a look past the service shows it. */
export const rowsOf = async <R>({ store }: TestService, statement: string): Promise<R[]> => {
  const db = await openDb(store)
  try {
    // PostgreSQL's result is not a plain array.
    return [...(await db.all<R>(statement))]
  } finally {
    await db.close()
  }
}

/** Leaves a new tenant's admin key to no user: most tests are about a key alone. */
export const dropFirstUser = ({ core: { db } }: Service, tenantId: string): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.run('update api_keys set user_id = null, last_user_id = null where tenant_id = ?', [tenantId])
    await tx.run('delete from users where tenant_id = ?', [tenantId])
  }, tenantId)

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
    observeStatement: (text, durationMs, group, access) => {
      if (engine.name === 'postgres' && group !== everyGroup) keepStatement(text)
      wall.observe(text, durationMs, group, access)
    },
    ...(options.webhooks && { webhooks: options.webhooks }),
    // On a busy machine the search thread takes long to start, and an index to be built.
    search: { maxWaitMs: 240_000, maxCatchUpMs: 240_000, ...options.search },
    ...(options.connections && { connections: options.connections }),
    ...(options.workSlots && { workSlots: options.workSlots }),
    ...(options.scheduler && { scheduler: options.scheduler }),
    ...(options.mcp && { mcp: options.mcp }),
    ...(options.consoleFolder !== undefined && { consoleFolder: options.consoleFolder }),
  })
  await service.app.listen({ host: '127.0.0.1', port: config.port })
  const [first] = await listTenants(service.core.db)
  if (service.firstStart.created) await dropFirstUser(service, first!.id)
  return {
    ...tenantOf(service, first!.id, testAdminKey),
    store,
    passTime: (ms) => {
      aheadMs += ms
    },
    checkStatements: wall.check,
    stop: async () => {
      await service.close()
      if (!options.store) await store.remove()
      wall.check()
    },
  }
}
