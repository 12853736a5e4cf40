import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import postgres from 'postgres'
import { type CitusCluster, createCitusDatabase, findCitusBuild, startCluster } from 'worklore-testing/citus'
import { type EmbeddingsEndpoint, startEmbeddingsEndpoint } from 'worklore-testing/embeddings-endpoint'
import { type Engine, engines, type TestStore } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { putItem } from 'worklore-testing/factories'
import { startService, type TestService, type TestTenant } from 'worklore-testing/harness'
import { quietBoundMs } from 'worklore-testing/long-run'
import { createTestTenant } from 'worklore-testing/operator'
import { startReceiver } from 'worklore-testing/receiver'
import { until } from 'worklore-testing/until'
import { createService } from '../../src/app.js'
import { createLogger } from '../../src/observability/logger.js'
import { findsSoon, keysOf, searchKnowledge } from '../search/hybrid-fixture.js'

const database = 'failures'

interface Written {
  tenant: TestTenant
  id: string
}

/** What a writer was answered: acknowledged tasks, and every status. */
interface Journal {
  written: Written[]
  statuses: Map<string, Map<number, number>>
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a Citus cluster under load', () => {
  let cluster: CitusCluster
  let wl: TestService
  let second: TestService
  let folder: TestStore
  let endpoint: EmbeddingsEndpoint
  let sql: postgres.Sql
  /** Of each worker, by its port. */
  const tenantsOf = new Map<number, TestTenant[]>()
  const engine: Engine = engines.find(({ name }) => name === 'postgres')!

  const urlOn = (url: string): string => {
    const address = new URL(url)
    address.pathname = `/${database}`
    return address.href
  }
  const portOf = async (tenantId: string): Promise<number> => {
    const [row] = await sql`select nodeport from citus_shards where shardid =
      get_shard_id_for_distribution_column('tenants', ${tenantId}::text)`
    return row!.nodeport as number
  }

  before(async () => {
    cluster = await startCluster(findCitusBuild()!, true)
    await createCitusDatabase(database, cluster.urls)
    folder = await engine.createStore()
    sql = postgres(urlOn(cluster.url), { max: 1, onnotice: () => {} })
    const store = { dataDir: folder.dataDir, databaseUrl: urlOn(cluster.url), poolSize: 6, remove: async () => {} }
    endpoint = await startEmbeddingsEndpoint()
    const config = { webhookAllow: ['127.0.0.0/8'], embeddings: endpoint.url, embeddingsModel: 'toy' }
    const search = { embedding: { debounceMs: 5, retryMs: 50, maxRetryMs: 1_000 } }
    wl = await startService(engine, { store, config, search })
    // Enters by a worker.
    const elsewhere = { ...store, databaseUrl: urlOn(cluster.workers[0]!.url), listenUrl: store.databaseUrl }
    second = await startService(engine, {
      store: elsewhere,
      config: { ...config, listenUrl: store.databaseUrl },
      search,
    })
    while ([...tenantsOf.values()].filter((tenants) => tenants.length >= 2).length < 2) {
      const tenant = await createTestTenant(wl)
      const port = await portOf(tenant.tenantId)
      tenantsOf.set(port, [...(tenantsOf.get(port) ?? []), tenant])
      await tenant.post('/v1/projects', { key: 'LOAD', name: 'Load' })
    }
  })
  after(async () => {
    await second?.stop()
    await wl?.stop()
    await sql?.end()
    await endpoint?.stop()
    await cluster?.stop()
    await folder?.remove()
  })

  /** Writes for every tenant while `disturb` goes on, and a while longer. */
  const underLoad = async (disturb: () => Promise<void>): Promise<Journal> => {
    const journal: Journal = { written: [], statuses: new Map() }
    let isOver = false
    const write = async (tenant: TestTenant): Promise<void> => {
      const statuses = new Map<number, number>()
      journal.statuses.set(tenant.tenantId, statuses)
      for (let at = 0; !isOver; at++) {
        const { status, body, headers } = await tenant.post('/v1/tasks', { projectId: 'LOAD', title: `Task ${at}` })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 201) journal.written.push({ tenant, id: body.data.id })
        if (status === 503) assert.ok(Number(headers['retry-after']) > 0)
        await pause(10)
      }
    }
    const writers = [...tenantsOf.values()].flat().map(write)
    await pause(500)
    await disturb()
    await pause(500)
    isOver = true
    await Promise.all(writers)
    return journal
  }

  const expectNothingLost = async ({ written }: Journal): Promise<void> => {
    for (const { tenant, id } of written) assert.equal((await tenant.get(`/v1/tasks/${id}`)).status, 200, id)
  }

  const statusesOf = ({ statuses }: Journal, port: number): Set<number> =>
    new Set(tenantsOf.get(port)!.flatMap(({ tenantId }) => [...statuses.get(tenantId)!.keys()]))

  const servesAgain = async (): Promise<void> => {
    for (const tenant of [...tenantsOf.values()].flat()) {
      const create = () => tenant.post('/v1/tasks', { projectId: 'LOAD', title: 'Again' })
      assert.equal((await until(create, ({ status }) => status === 201)).status, 201)
    }
  }

  it('wakes a node that entered by another Citus node', async () => {
    const [tenant] = [...tenantsOf.values()].flat()
    const elsewhere = `${second.baseUrl}/v1/events?after=latest&wait=20`
    const heard = fetch(elsewhere, { headers: { authorization: `Bearer ${tenant!.adminKey}` } })
    await pause(300)
    const writtenAtMs = performance.now()
    await tenant!.post('/v1/tasks', { projectId: 'LOAD', title: 'News' })
    const { data } = (await (await heard).json()) as { data: unknown[] }
    assert.equal(data.length, 1)
    assert.ok(performance.now() - writtenAtMs < quietBoundMs(300))
  })

  it('moves a shard without a lost write', async () => {
    const [from, to] = [...tenantsOf.keys()] as [number, number]
    const [tenant] = tenantsOf.get(from)!
    const journal = await underLoad(async () => {
      await sql.unsafe(`select citus_move_shard_placement(get_shard_id_for_distribution_column('tenants', '${tenant!.tenantId}'),
        '127.0.0.1', ${from}, '127.0.0.1', ${to}, 'force_logical')`)
    })
    assert.equal(await portOf(tenant!.tenantId), to)
    for (const statuses of journal.statuses.values())
      for (const status of statuses.keys()) assert.ok([201, 503].includes(status), `status ${status}`)
    await expectNothingLost(journal)
    await sql.unsafe(`select citus_move_shard_placement(get_shard_id_for_distribution_column('tenants', '${tenant!.tenantId}'),
      '127.0.0.1', ${to}, '127.0.0.1', ${from}, 'force_logical')`)
  })

  it('goes on for the tenants of one worker while the other is gone', async () => {
    const gone = cluster.workers[1]!
    const other = [...tenantsOf.keys()].find((port) => port !== gone.port)!
    const journal = await underLoad(async () => {
      await gone.kill()
      await pause(3_000)
      await gone.start()
      await servesAgain()
    })
    assert.deepEqual(statusesOf(journal, other), new Set([201]))
    assert.deepEqual(statusesOf(journal, gone.port), new Set([201, 503]))
    await expectNothingLost(journal)
  })

  it('ends claims and sends to webhooks of the tenants of one worker while the other is gone', async (test) => {
    const receiver = await startReceiver()
    test.after(() => receiver.close())
    const gone = cluster.workers[1]!
    const other = [...tenantsOf.keys()].find((port) => port !== gone.port)!
    const [served, stopped] = [tenantsOf.get(other)![0]!, tenantsOf.get(gone.port)![0]!]
    const claimed: string[] = []
    for (const tenant of [served, stopped]) {
      const { body } = await tenant.post('/v1/tasks', { projectId: 'LOAD', title: 'Claimed' })
      claimed.push(body.data.id)
      expectStatus(await tenant.post(`/v1/tasks/${body.data.id}/claim`, { leaseSeconds: 10 }), 200)
    }
    expectStatus(await served.post('/v1/webhooks', { url: receiver.url, events: ['task.claim_expired'] }), 201)
    await gone.kill()
    const [received] = await receiver.until(1).finally(() => gone.start())
    assert.equal(received!.event.data.id, claimed[0])
    const expired = await until(
      () => stopped.get('/v1/events?types=task.claim_expired'),
      ({ status, body }) => status === 200 && body.data.length > 0,
    )
    assert.equal(expired.body.data[0].data.id, claimed[1])
  })

  it('embeds the texts of the tenants of one worker while the other is gone', async () => {
    const gone = cluster.workers[1]!
    const other = [...tenantsOf.keys()].find((port) => port !== gone.port)!
    const [served, stopped] = [tenantsOf.get(other)![0]!, tenantsOf.get(gone.port)![0]!]
    endpoint.behaviour = 'fail'
    await putItem(stopped, 'pets/afternoon', 'The cat sleeps on the carpet')
    await until(
      async () => (await stopped.get('/v1/me')).body.data.embedding.waiting,
      (waiting) => waiting > 0,
    )
    await gone.kill()
    try {
      endpoint.behaviour = 'answer'
      await putItem(served, 'pets/afternoon', 'The cat sleeps on the carpet')
      assert.deepEqual(await findsSoon(served, 'feline napping', ['pets/afternoon']), ['pets/afternoon'])
    } finally {
      await gone.start()
    }
    const found = await until(
      () => searchKnowledge(stopped, 'feline napping'),
      (body) => body.data !== undefined && keysOf(body).length > 0,
    )
    assert.deepEqual(keysOf(found), ['pets/afternoon'])
  })

  it('starts a node while a worker is gone', async () => {
    const gone = cluster.workers[1]!
    const other = [...tenantsOf.keys()].find((port) => port !== gone.port)!
    const [served] = tenantsOf.get(other)!
    await gone.kill()
    try {
      const node = await createService({ ...wl.service.core.config, port: 0 }, createLogger('silent'))
      try {
        const address = await node.app.listen({ host: '127.0.0.1', port: 0 })
        const headers = { authorization: `Bearer ${served!.adminKey}` }
        assert.equal((await fetch(`${address}/v1/projects`, { headers })).status, 200)
        assert.equal((await fetch(`${address}/readyz`)).status, 200)
      } finally {
        await node.close()
      }
    } finally {
      await gone.start()
    }
    await servesAgain()
  })

  it('is back after a restart of the coordinator', async () => {
    const journal = await underLoad(async () => {
      await cluster.coordinator.pause()
      await cluster.coordinator.start()
      await servesAgain()
    })
    for (const port of tenantsOf.keys())
      for (const status of statusesOf(journal, port)) assert.ok([201, 503].includes(status), `status ${status}`)
    await expectNothingLost(journal)
  })
})
