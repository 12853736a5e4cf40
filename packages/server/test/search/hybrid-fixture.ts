import type { EmbeddingsEndpoint } from 'worklore-testing/embeddings-endpoint'
import type { Engine, TestStore } from 'worklore-testing/engines'
import { rowsOf, startService, type TestService, type TestTenant } from 'worklore-testing/harness'
import { until } from 'worklore-testing/until'
import type { Config } from '../../src/config.js'

interface HybridOptions {
  store?: TestStore
  model?: string
  leaseMs?: number
  config?: Partial<Config>
}

/** A service whose texts are embedded by the endpoint, and soon. */
export const startHybrid = (
  engine: Engine,
  { url }: EmbeddingsEndpoint,
  { store, model = 'toy', leaseMs = 60_000, config }: HybridOptions = {},
): Promise<TestService> =>
  startService(engine, {
    ...(store && { store }),
    config: { embeddings: url, embeddingsModel: model, embeddingsKey: 'endpoint-key', ...config },
    search: {
      queries: { maxWaitMs: 2_000, restMs: 100 },
      embedding: { debounceMs: 5, pollMs: 100, retryMs: 50, leaseMs },
    },
  })

export const searchKnowledge = async (wl: TestTenant, q: string, more = '') =>
  (await wl.get(`/v1/knowledge/search?q=${encodeURIComponent(q)}${more}`)).body

export const keysOf = (body: { data: { key: string }[] }): string[] => body.data.map(({ key }) => key)

/** Searches until these are what is found. */
export const findsSoon = async (wl: TestTenant, q: string, keys: readonly string[], more = ''): Promise<string[]> =>
  keysOf(
    await until(
      () => searchKnowledge(wl, q, more),
      (body) => keysOf(body).join() === keys.join(),
    ),
  )

const waiting = async (wl: TestService): Promise<number> =>
  Number(/^worklore_embedding_waiting (\d+)$/m.exec((await wl.get('/metrics', { key: null })).text)?.[1])

/** Waits until every change so far is embedded. */
export const embeddedAll = async (wl: TestService): Promise<void> => {
  const behind = `select t.tenant_id from tenants t where not exists
    (select 1 from embedding_positions p where p.tenant_id = t.tenant_id and p.position = t.last_sequence)`
  const isBehind = async () => (await rowsOf(wl, behind)).length > 0
  await until(
    async () => (await isBehind()) || (await waiting(wl)) > 0,
    (isBusy) => !isBusy,
  )
}
