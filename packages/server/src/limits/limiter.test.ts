import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { randomFrom } from 'worklore-testing/random'
import { until } from 'worklore-testing/until'
import { forkLimitsNode } from '../../test/fork-limits-node.js'
import { createLimitsStore, type LimitsStore, planOf } from '../../test/limits-store.js'
import { createNaiveLimits } from '../../test/naive-limits.js'
import { createLimiter } from './create-limiter.js'
import type { Admission, EndpointLimit, Limiter } from './limiter.js'
import type { Plan } from './plans.js'

const takeTogether = (limiter: Limiter, tenantId: string, plan: Plan, times: number, endpoint?: EndpointLimit) =>
  Promise.all(Array.from({ length: times }, () => limiter.take(tenantId, plan, endpoint)))

const passed = (decisions: { isAllowed: boolean }[]): number => decisions.filter(({ isAllowed }) => isAllowed).length

for (const engine of engines) {
  describe(`limits on ${engine.name}`, () => {
    const free = planOf('free')
    const manyRequests = planOf('free', { requestsPerMinute: 1_000_000, requestsPerDay: 1_000_000 })
    let store: LimitsStore
    let nowMs = 1_800_000_000_250
    const clock = () => nowMs
    let limiter: Limiter

    before(async () => {
      store = await createLimitsStore(engine.name)
      limiter = createLimiter(store.db, { clock })
    })
    after(async () => {
      await limiter.close()
      await store.remove()
    })

    it('lets exactly 60 of 200 simultaneous requests through, each told what is left', async () => {
      const decisions = await takeTogether(limiter, await store.addTenant(), free, 200)
      assert.equal(passed(decisions), 60)
      const left = decisions.filter(({ isAllowed }) => isAllowed).map(({ shown }) => shown.remaining)
      assert.deepEqual(
        left.sort((a, b) => b - a),
        Array.from({ length: 60 }, (_, at) => 59 - at),
      )
    })

    for (const [endpoint, limit, lengthMs] of [
      ['taskCreates', 100, 3_600_000],
      ['searches', 30, 60_000],
      ['knowledgeWrites', 60, 3_600_000],
    ] as const) {
      it(`holds and reopens the window of ${endpoint}, and costs refused requests nothing`, async () => {
        const tenantId = await store.addTenant()
        assert.equal(passed(await takeTogether(limiter, tenantId, manyRequests, limit + 40, endpoint)), limit)
        const states = await limiter.look(tenantId, manyRequests)
        assert.equal(states[0]?.remaining, 1_000_000 - limit)
        nowMs += lengthMs - 1
        const [refused] = await takeTogether(limiter, tenantId, manyRequests, 1, endpoint)
        assert.equal(refused?.retryAfter, 1)
        nowMs += 1
        assert.equal(passed(await takeTogether(limiter, tenantId, manyRequests, 1, endpoint)), 1)
      })
    }

    it('agrees with a naive reading of the contract', async () => {
      const tenantId = await store.addTenant()
      const random = randomFrom(7)
      const kinds = [undefined, 'taskCreates', 'searches', 'knowledgeWrites'] as const
      const plan = planOf('free', { requestsPerMinute: 9, requestsPerDay: 90, taskCreatesPerHour: 6 })
      const naive = createNaiveLimits()
      for (let step = 0; step < 150; step++) {
        nowMs += random() < 0.1 ? Math.floor(random() * 40_000_000) : Math.floor(random() * 12_000)
        // In the order in which a batch is decided, so that the model meets the same requests in the same order.
        const together = kinds.flatMap((kind) => Array<typeof kind>(Math.floor(random() * 4)).fill(kind))
        const decisions = await Promise.all(together.map((kind) => limiter.take(tenantId, plan, kind)))
        for (const [at, kind] of together.entries()) {
          const expected = naive.take(plan, kind, nowMs)
          assert.equal(decisions[at]?.isAllowed, expected.isAllowed)
          assert.deepEqual(
            decisions[at]?.windows.map(({ remaining, waitSeconds }) => [remaining, waitSeconds]),
            expected.windows.map(({ remaining, waitMs }) => [remaining, Math.ceil(waitMs / 1_000)]),
          )
        }
      }
    })

    it('admits operations together or not at all, and tells how many would fit', async () => {
      const tenantId = await store.addTenant()
      const plan = planOf('free', { requestsPerMinute: 20, taskCreatesPerHour: 5 })
      const creates = (count: number) => Array<EndpointLimit | undefined>(count).fill('taskCreates')
      const admit = (operations: readonly (EndpointLimit | undefined)[]) =>
        limiter.admit(tenantId, plan, { operations, countsIn: 'plan' })
      const remaining = async () => (await limiter.look(tenantId, plan)).map((window) => window.remaining)

      assert.equal((await admit([...creates(3), undefined, 'knowledgeWrites'])).isAllowed, true)
      assert.deepEqual(await remaining(), [15, 995, 2, 30, 59, 600, 600])
      const refused = await admit([undefined, ...creates(3), 'searches'])
      assert.equal(refused.isAllowed, false)
      assert.equal(refused.shown.name, 'task creates per hour')
      assert.equal(refused.retryAfter, 3_600)
      assert.equal(refused.fits, 3)
      assert.deepEqual(await remaining(), [15, 995, 2, 30, 59, 600, 600])
      const tooMany = await admit(Array(16).fill(undefined))
      assert.equal(tooMany.shown.name, 'requests per minute')
      assert.equal(tooMany.fits, 15)
      assert.equal((await admit([undefined, ...creates(2)])).isAllowed, true)
      assert.deepEqual(await remaining(), [12, 992, 0, 30, 59, 600, 600])
    })

    it("counts an endpoint's window without the plan's where the request was counted already", async () => {
      const tenantId = await store.addTenant()
      const plan = planOf('free', { requestsPerMinute: 1, searchesPerMinute: 2 })
      const search = () => limiter.admit(tenantId, plan, { operations: ['searches'], countsIn: null })
      await limiter.take(tenantId, plan)
      assert.deepEqual([(await search()).isAllowed, (await search()).isAllowed], [true, true])
      const refused = await search()
      assert.equal(refused.isAllowed, false)
      assert.equal(refused.shown.name, 'searches per minute')
      const states = await limiter.look(tenantId, plan)
      assert.deepEqual([states[1]?.remaining, states[3]?.remaining], [999, 0])
    })

    it('counts what sessions read and write in windows of their own, and in no other', async () => {
      const tenantId = await store.addTenant()
      const limits = { requestsPerMinute: 1, searchesPerMinute: 2, sessionReadsPerMinute: 4, sessionWritesPerMinute: 3 }
      const plan = planOf('free', limits)
      const read = (endpoint?: EndpointLimit) => limiter.take(tenantId, plan, endpoint, 'sessionReads')
      const decisions = [await read(), await read('searches'), await read('searches'), await read('searches')]
      assert.ok(decisions.every(({ isAllowed }) => isAllowed))
      assert.equal((await read()).shown.name, 'session reads per minute')
      const write = (count: number) => {
        const operations = Array<EndpointLimit>(count).fill('taskCreates')
        return limiter.admit(tenantId, plan, { operations, countsIn: 'sessionWrites' })
      }
      assert.equal((await write(2)).isAllowed, true)
      const refused = await write(2)
      assert.deepEqual([refused.shown.name, refused.fits], ['session writes per minute', 1])
      const states = await limiter.look(tenantId, plan)
      assert.deepEqual(
        states.map(({ remaining }) => remaining),
        [1, 1_000, 100, 2, 60, 0, 1],
      )
      assert.equal((await limiter.take(tenantId, plan)).isAllowed, true)
    })

    it('counts nothing and opens no window where no operation is asked for', async () => {
      const tenantId = await store.addTenant()
      const nothing: Admission = { operations: [], countsIn: 'plan' }
      const looked = await limiter.admit(tenantId, free, nothing)
      assert.equal(looked.isAllowed, true)
      assert.equal(looked.shown.remaining, 60)
      nowMs += 30_000
      assert.equal((await limiter.take(tenantId, free)).shown.waitSeconds, 60)
    })

    it('is exact where admissions of many sizes arrive together', async () => {
      const tenantId = await store.addTenant()
      const random = randomFrom(11)
      const sizes = Array.from({ length: 60 }, () => 1 + Math.floor(random() * 4))
      const decisions = await Promise.all(
        sizes.map((size) =>
          limiter.admit(tenantId, free, {
            operations: Array(size).fill('searches'),
            countsIn: size % 2 === 0 ? 'plan' : null,
          }),
        ),
      )
      const admitted = sizes.filter((_, at) => decisions[at]?.isAllowed)
      const searches = admitted.reduce((sum, size) => sum + size, 0)
      const requests = admitted.reduce((sum, size) => sum + (size % 2 === 0 ? size : 0), 0)
      const states = await limiter.look(tenantId, free)
      assert.deepEqual([states[0]?.remaining, states[3]?.remaining], [60 - requests, 30 - searches])
      // None was refused that would still have fitted.
      assert.equal(searches, 30)
    })

    it('keeps the counts over a restart, and over a change of plan', async () => {
      const tenantId = await store.addTenant()
      const first = createLimiter(store.db, { clock })
      await takeTogether(first, tenantId, free, 45, 'searches')
      await first.close()
      nowMs += 5_000
      const second = createLimiter(store.db, { clock })
      const states = await second.look(tenantId, free)
      assert.deepEqual(
        states.map(({ remaining }) => remaining),
        [30, 970, 100, 0, 60, 600, 600],
      )
      assert.equal(states[0]?.waitSeconds, 55)
      assert.equal(passed(await takeTogether(second, tenantId, free, 100)), 30)
      assert.equal((await second.take(tenantId, planOf('pro'))).shown.remaining, 239)
      await second.close()
    })

    it('never gives a negative or absurd wait when the clock is set an hour back or forward', async () => {
      const tenantId = await store.addTenant()
      await takeTogether(limiter, tenantId, free, 60)
      nowMs -= 3_600_000
      const back = await limiter.take(tenantId, free)
      assert.equal(back.isAllowed, false)
      assert.equal(back.retryAfter, 60)
      assert.equal(back.shown.reset, Math.ceil((nowMs + 60_000) / 1_000))
      nowMs += 2 * 3_600_000
      for (const { waitSeconds, lengthSeconds } of (await limiter.take(tenantId, free, 'searches')).windows) {
        assert.ok(waitSeconds > 0 && waitSeconds <= lengthSeconds)
      }
    })

    it('keeps every count when its process ends in good order', async () => {
      const tenantId = await store.addTenant()
      const node = await forkLimitsNode(store.settings)
      await node.take({ tenantIds: [tenantId], plan: free, times: 41 })
      await node.end('SIGTERM')
      const next = createLimiter(store.db)
      assert.equal((await next.take(tenantId, free)).shown.remaining, 18)
      await next.close()
    })

    it('loses no count older than a second when its process is killed', async () => {
      const tenantId = await store.addTenant()
      const node = await forkLimitsNode(store.settings)
      await node.take({ tenantIds: [tenantId], plan: free, times: 33 })
      const stored = 'select minute_used from limit_windows where tenant_id = ?'
      const countStored = async () =>
        (await store.db.get<{ minute_used: number }>(stored, [tenantId]))?.minute_used ?? 0
      await until(countStored, (used) => used >= 33)
      await node.take({ tenantIds: [tenantId], plan: free, times: 5 })
      await node.end('SIGKILL')
      const next = createLimiter(store.db)
      const { remaining } = (await next.look(tenantId, free))[0]!
      assert.ok(remaining >= 22 && remaining <= 27, `${remaining} remain`)
      await next.close()
    })

    it('passes over a tenant that was deleted meanwhile', async () => {
      const gone = await store.addTenant()
      const staying = await store.addTenant()
      const own = createLimiter(store.db, { clock })
      await own.take(gone, free)
      await store.db.run('delete from tenants where tenant_id = ?', [gone])
      await Promise.allSettled([own.take(gone, free), own.take(staying, free)])
      await own.close()
      const next = createLimiter(store.db, { clock })
      assert.equal((await next.look(staying, free))[0]?.remaining, 59)
      await next.close()
    })
  })
}
