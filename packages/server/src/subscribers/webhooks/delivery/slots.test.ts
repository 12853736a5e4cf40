import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDeliverySlots } from './slots.js'

/** Work that goes on until the test ends it, and the order in which it was started. */
const createWork = (count: number) => {
  const run = createDeliverySlots(count)
  const started: string[] = []
  const ends = new Map<string, (() => void)[]>()
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    started,
    begin: async (tenantId: string, times = 1): Promise<void> => {
      for (let i = 0; i < times; i++) {
        void run(tenantId, () => {
          started.push(tenantId)
          return new Promise<void>((resolve) => ends.set(tenantId, [...(ends.get(tenantId) ?? []), resolve]))
        })
      }
      await settled()
    },
    end: async (tenantId: string): Promise<void> => {
      ends.get(tenantId)?.shift()?.()
      await settled()
    },
    startedOf: (tenantId: string) => started.filter((each) => each === tenantId).length,
  }
}

describe('the slots of webhook deliveries', () => {
  it('leave a free one for the next tenant, however much the others want', async () => {
    const work = createWork(256)
    const greedy = Array.from({ length: 20 }, (_, i) => `greedy ${i}`)
    for (const tenant of greedy) await work.begin(tenant, 60)
    assert.equal(work.startedOf('greedy 0'), 29)
    for (let i = 0; i < 20; i++) {
      await work.begin(`modest ${i}`)
      assert.equal(work.startedOf(`modest ${i}`), 1)
    }
    const before = work.started.length
    await work.end('greedy 0')
    assert.equal(work.started.length, before, 'a slot that is given back is kept for a tenant with a smaller share')
  })

  it('go to the tenants that wait in turn', async () => {
    const work = createWork(1)
    await work.begin('first')
    await work.begin('a', 3)
    await work.begin('b', 2)
    await work.begin('c', 1)
    for (const tenant of ['first', 'a', 'b', 'c', 'a', 'b', 'a']) await work.end(tenant)
    assert.deepEqual(work.started, ['first', 'a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('are all given back, by work that fails too', async () => {
    const run = createDeliverySlots(2)
    for (let i = 0; i < 5; i++) await assert.rejects(run('a', () => Promise.reject(new Error('failed'))))
    assert.equal(await Promise.all([run('a', async () => 1), run('b', async () => 2)]).then((all) => all.length), 2)
  })

  it('let one tenant use a ninth of them, and finish whatever it asks for', async () => {
    const run = createDeliverySlots(72)
    let now = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 50 }, () =>
        run('a', async () => {
          most = Math.max(most, ++now)
          await new Promise((resolve) => setImmediate(resolve))
          now--
        }),
      ),
    )
    assert.equal(most, 8)
  })
})
