import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSlots } from './slots.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('slots', () => {
  it('are given in the order in which they were asked for', async () => {
    const slots = createSlots(1, 1_000)
    const order: number[] = []
    const work = async (name: number): Promise<void> => {
      await slots.take()
      order.push(name)
      await pause(1)
      slots.giveBack()
    }
    await Promise.all([1, 2, 3, 4].map(work))
    assert.deepEqual(order, [1, 2, 3, 4])
    assert.equal(slots.take(), undefined, 'free again')
  })

  it('are waited for as long as the line moves, however long it is', async () => {
    const slots = createSlots(2, 400)
    const work = async (): Promise<void> => {
      await slots.take()
      await pause(50)
      slots.giveBack()
    }
    await Promise.all(Array.from({ length: 40 }, work))
  })

  it('are refused to the whole line once it has stood still', async () => {
    const slots = createSlots(1, 100)
    slots.take()
    const startedAt = performance.now()
    const outcomes = await Promise.allSettled([slots.take(), slots.take()])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.ok(performance.now() - startedAt < 2_000)
    slots.giveBack()
    assert.equal(slots.take(), undefined, 'the next is served')
  })
})
