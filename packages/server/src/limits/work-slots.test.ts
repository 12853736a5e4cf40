import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { AppError } from '../base/errors.js'
import { createWorkSlots, workSlotSettings } from './work-slots.js'

/** Calls that end when they are told to. */
const createCalls = (slots: ReturnType<typeof createWorkSlots>) => {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const refused: string[] = []
  return {
    begun,
    refused,
    start: (tenantId: string, name: string, share: number): void => {
      const work = () =>
        new Promise<void>((resolve) => {
          begun.push(name)
          ends.set(name, resolve)
        })
      Promise.resolve(slots.run(tenantId, share, work)).catch((error: AppError) => {
        assert.equal(error.code, 'SERVICE_UNAVAILABLE')
        assert.equal(error.params.retryAfter, 1)
        refused.push(name)
      })
    },
    end: async (name: string): Promise<void> => {
      ends.get(name)!()
      await turn()
    },
  }
}

describe('work slots', () => {
  it('run what is at once there at once, and give the slot back whatever comes of it', async () => {
    const slots = createWorkSlots()
    const fails = () => {
      throw new Error('no')
    }
    for (let at = 0; at < 10; at++) {
      assert.equal(
        slots.run('a', 1, () => at),
        at,
      )
      assert.throws(() => slots.run('a', 1, fails), /no/)
      await assert.rejects(async () => slots.run('a', 1, async () => fails()), /no/)
      assert.equal(await slots.run('a', 1, async () => at), at)
    }
    assert.equal(slots.load().waiting, 0)
  })

  it("let a tenant's calls beyond its share wait, and another's pass", async () => {
    const calls = createCalls(createWorkSlots())
    for (const name of ['a1', 'a2', 'a3', 'a4']) calls.start('a', name, 2)
    calls.start('b', 'b1', 2)
    assert.deepEqual(calls.begun, ['a1', 'a2', 'b1'])
    await calls.end('b1')
    assert.deepEqual(calls.begun, ['a1', 'a2', 'b1'])
    await calls.end('a2')
    assert.deepEqual(calls.begun, ['a1', 'a2', 'b1', 'a3'])
  })

  it('serve tenants in turn when all slots are taken', async () => {
    const calls = createCalls(createWorkSlots({ ...workSlotSettings, slots: 2 }))
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) calls.start('a', name, 5)
    calls.start('b', 'b1', 5)
    calls.start('b', 'b2', 5)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'a4']) await calls.end(name)
    assert.deepEqual(calls.begun, ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'a5'])
  })

  it('refuse a call whose turn does not come in time, and the next one gets it', async () => {
    const calls = createCalls(createWorkSlots({ ...workSlotSettings, maxWaitMs: 100 }))
    calls.start('a', 'a1', 1)
    calls.start('a', 'a2', 1)
    await sleep(600)
    assert.deepEqual(calls.refused, ['a2'])
    calls.start('a', 'a3', 1)
    await calls.end('a1')
    assert.deepEqual(calls.begun, ['a1', 'a3'])
  })

  it('bound how many wait, for one tenant and for all', async () => {
    const slots = createWorkSlots({ ...workSlotSettings, maxWaiting: 8 })
    const calls = createCalls(slots)
    for (let at = 0; at < 10; at++) calls.start('a', `a${at}`, 2)
    await turn()
    assert.equal(slots.load().waiting, 6)
    assert.deepEqual(calls.refused, ['a8', 'a9'])
    for (let at = 0; at < 10; at++) calls.start('b', `b${at}`, 2)
    await turn()
    assert.equal(slots.load().waiting, 10)
    assert.deepEqual(calls.begun, ['a0', 'a1', 'b0', 'b1'])
  })
})
