import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { quietBoundMs } from 'worklore-testing/long-run'
import { startPostgres } from 'worklore-testing/postgres-server'
import { forkLimitsNode, type LimitsNode } from '../../test/fork-limits-node.js'
import { createLimitsStore, type LimitsStore, planOf } from '../../test/limits-store.js'
import { systemClock } from '../base/clock.js'
import { migrate } from '../db/migrate.js'
import { openDb } from '../db/open.js'
import type { Decision } from './limiter.js'
import { createSharedLimiter } from './shared-limiter.js'

const free = planOf('free')
const isUnavailable = { code: 'SERVICE_UNAVAILABLE' }

describe('the limiter of many nodes', () => {
  let store: LimitsStore
  before(async () => {
    store = await createLimitsStore('postgres')
  })
  after(() => store.remove())

  /** Three processes, which end with the test whatever comes of it. */
  const forkThree = async (test: TestContext): Promise<LimitsNode[]> => {
    const nodes = await Promise.all([1, 2, 3].map(() => forkLimitsNode(store.settings)))
    test.after(() => Promise.all(nodes.map((node) => node.end('SIGTERM'))))
    return nodes
  }

  const createNode = async () => {
    let roundTrips = 0
    const db = await openDb(store.settings, { observe: () => roundTrips++ })
    const limiter = createSharedLimiter(db, { wall: systemClock, steady: systemClock })
    const close = async () => {
      await limiter.close()
      await db.close()
    }
    return { limiter, close, roundTrips: () => roundTrips }
  }

  it('lets exactly 60 of 200 through, of three processes together', async (test) => {
    const tenantId = await store.addTenant()
    const nodes = await forkThree(test)
    const orders = [67, 67, 66].map((times) => ({ tenantIds: [tenantId], plan: free, times }))
    const answers = (await Promise.all(nodes.map((node, at) => node.take(orders[at]!)))).flat()
    const left = answers.filter(({ isAllowed }) => isAllowed).map(({ shown }) => shown.remaining)
    assert.deepEqual(
      left.sort((a, b) => b - a),
      Array.from({ length: 60 }, (_, at) => 59 - at),
    )
  })

  it('loses no count among nodes that take turns on one tenant', async (test) => {
    const tenantId = await store.addTenant()
    const plan = planOf('free', { requestsPerMinute: 900, requestsPerDay: 900_000, searchesPerMinute: 700 })
    const nodes = await forkThree(test)
    const order = { tenantIds: [tenantId], plan, times: 500, together: 2 }
    const searches = await Promise.all(nodes.map((node) => node.take({ ...order, endpoint: 'searches' })))
    assert.equal(searches.flat().filter(({ isAllowed }) => isAllowed).length, 700)
    const plain = await Promise.all(nodes.map((node) => node.take(order)))
    assert.equal(plain.flat().filter(({ isAllowed }) => isAllowed).length, 200)
  })

  it('is exact for many tenants whom nodes ask for in different orders', async (test) => {
    const tenantIds: string[] = []
    for (let i = 0; i < 40; i++) tenantIds.push(await store.addTenant())
    const nodes = await forkThree(test)
    const rounds = [1, 2, 3, 4, 5].flatMap((round) =>
      nodes.map((node, at) => {
        const order = (at + round) % 2 ? tenantIds : tenantIds.toReversed()
        return { node, tenantIds: order.slice(at * 5).concat(order.slice(0, at * 5)) }
      }),
    )
    const passes = new Map<string, number>()
    for (let at = 0; at < rounds.length; at += nodes.length) {
      const asked = rounds
        .slice(at, at + nodes.length)
        .map(({ node, tenantIds }) => node.take({ tenantIds, plan: free, endpoint: 'searches', times: 800 }))
      for (const { tenantId, isAllowed } of (await Promise.all(asked)).flat()) {
        if (isAllowed) passes.set(tenantId, (passes.get(tenantId) ?? 0) + 1)
      }
    }
    assert.deepEqual([...passes.values()], Array(40).fill(30))
    const rows = await store.db.all<{ minute_used: number; day_used: number; searches_used: number }>(
      `select minute_used, day_used, searches_used from limit_windows where tenant_id in (${tenantIds.map(() => '?').join(', ')})`,
      tenantIds,
    )
    assert.equal(rows.length, 40)
    for (const row of rows) assert.deepEqual({ ...row }, { minute_used: 30, day_used: 30, searches_used: 30 })
  })

  it('shares a round trip among the requests that arrive together', async () => {
    const tenantId = await store.addTenant()
    const node = await createNode()
    await node.limiter.take(tenantId, free)
    const before = node.roundTrips()
    await Promise.all(Array.from({ length: 500 }, () => node.limiter.take(tenantId, free)))
    assert.equal(node.roundTrips() - before, 1)
    await node.close()
  })

  it('refuses with 503 while the store is away, and keeps the counts over its crash', async () => {
    const server = await startPostgres()
    const db = await openDb({ ...store.settings, databaseUrl: server.url })
    await migrate(db)
    await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
    const limiter = createSharedLimiter(db, { wall: systemClock, steady: systemClock })
    const take = async () => limiter.take('ten_1', free)
    await Promise.all(Array.from({ length: 20 }, take))
    await new Promise((done) => setTimeout(done, 1_000))
    await server.kill()
    const startedAt = performance.now()
    for (let i = 0; i < 3; i++) await assert.rejects(take(), isUnavailable)
    assert.ok(performance.now() - startedAt < quietBoundMs(7_000))
    await server.start()
    const first = async (): Promise<Decision> => take().catch(first)
    assert.equal((await first()).shown.remaining, 39)
    await limiter.close()
    await db.close()
    await server.stop()
  })
})
