import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createPermits } from './permits.js'

describe('permits', () => {
  const settings = { maxStillMs: 60_000, maxWaiting: 100 }

  it('are granted in the order of the requests', async () => {
    const permits = createPermits(1, settings)
    const order: number[] = []
    const work = async (name: number): Promise<void> => {
      order.push(name)
      await pause(1)
    }
    await Promise.all([1, 2, 3, 4].map((name) => permits.run('', 1, () => work(name))))
    assert.deepEqual(order, [1, 2, 3, 4])
    assert.equal(
      permits.run('', 1, () => 'at once'),
      'at once',
    )
  })

  it('alternate between waiting groups', async () => {
    const permits = createPermits(1, settings)
    const order: string[] = []
    const work = async (name: string): Promise<void> => {
      order.push(name)
      await pause(1)
    }
    await Promise.all(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((name) => permits.run(name[0]!, 1, () => work(name))))
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'c2'])
  })

  it('are granted as long as the queue moves, however long it is', async () => {
    const permits = createPermits(2, { ...settings, maxStillMs: 2_000 })
    await Promise.all(Array.from({ length: 40 }, () => permits.run('', 1, () => pause(120))))
    assert.deepEqual(permits.load(), { running: 0, waiting: 0 })
  })

  it('are refused if the queue stalls', async () => {
    const permits = createPermits(1, { ...settings, maxStillMs: 100 })
    let end!: () => void
    const held = permits.run('', 1, () => new Promise<void>((resolve) => (end = resolve)))
    const outcomes = await Promise.allSettled([1, 2].map(() => permits.run('', 1, () => undefined)))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    end()
    await held
    assert.equal(
      permits.run('', 1, () => 'served'),
      'served',
    )
  })

  it('are refused if the queue is full', async () => {
    const permits = createPermits(1, { ...settings, maxWaiting: 2 })
    let end!: () => void
    const held = permits.run('', 1, () => new Promise<void>((resolve) => (end = resolve)))
    const waiting = [1, 2].map(() => permits.run('', 1, () => undefined))
    await assert.rejects(async () => permits.run('', 1, () => undefined), { code: 'SERVICE_UNAVAILABLE' })
    end()
    await Promise.all([held, ...waiting])
  })
})
