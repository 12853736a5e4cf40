import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSemaphore } from './semaphore.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('the semaphore', () => {
  it('gives permits in the order in which they were asked for', async () => {
    const semaphore = createSemaphore(1, 60_000)
    const order: number[] = []
    const work = async (name: number): Promise<void> => {
      await semaphore.acquire('')
      order.push(name)
      await pause(1)
      semaphore.release()
    }
    await Promise.all([1, 2, 3, 4].map(work))
    assert.deepEqual(order, [1, 2, 3, 4])
    assert.equal(semaphore.acquire(''), undefined, 'free again')
  })

  it('serves groups that wait in turn', async () => {
    const semaphore = createSemaphore(1, 60_000)
    const order: string[] = []
    const work = async (name: string): Promise<void> => {
      await semaphore.acquire(name[0]!)
      order.push(name)
      await pause(1)
      semaphore.release()
    }
    await Promise.all(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map(work))
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'c2'])
  })

  it('lets callers wait for as long as the queue moves, however long it is', async () => {
    const semaphore = createSemaphore(2, 2_000)
    const work = async (): Promise<void> => {
      await semaphore.acquire('')
      await pause(120)
      semaphore.release()
    }
    await Promise.all(Array.from({ length: 40 }, work))
  })

  it('refuses the whole queue once it has stood still', async () => {
    const semaphore = createSemaphore(1, 100)
    semaphore.acquire('')
    const outcomes = await Promise.allSettled([semaphore.acquire(''), semaphore.acquire('')])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    semaphore.release()
    assert.equal(semaphore.acquire(''), undefined, 'the next is served')
  })

  it('refuses whoever comes when the queue is full', async () => {
    const semaphore = createSemaphore(1, 60_000, 2)
    semaphore.acquire('')
    const waiting = [semaphore.acquire(''), semaphore.acquire('')]
    await assert.rejects(Promise.resolve(semaphore.acquire('')), { code: 'SERVICE_UNAVAILABLE' })
    for (const acquired of waiting) {
      semaphore.release()
      await acquired
    }
  })
})
