import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFairQueue } from './fair-queue.js'

describe('a fair queue', () => {
  const filled = (...items: string[]) => {
    const queue = createFairQueue<string>()
    for (const item of items) queue.push(item[0]!, item)
    return queue
  }
  const drain = (queue: ReturnType<typeof filled>): string[] => Array.from({ length: queue.size }, () => queue.take()!)

  it('takes from its groups in turn, and from each in the order of arrival', () => {
    const queue = filled('a1', 'a2', 'a3', 'b1', 'c1', 'c2')
    assert.equal(queue.size, 6)
    assert.equal(queue.groups, 3)
    assert.equal(queue.sizeOf('a'), 3)
    assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
    assert.equal(queue.take(), undefined)
    assert.equal(queue.groups, 0)
  })

  it('lets who comes after many be the next', () => {
    const queue = filled('a1', 'a2', 'a3')
    queue.take()
    queue.push('b', 'b1')
    assert.deepEqual(drain(queue), ['a2', 'b1', 'a3'])
  })

  it('passes over groups whose head is not eligible, which keep their turn', () => {
    const queue = filled('a1', 'b1', 'b2')
    assert.equal(
      queue.take((head) => head !== 'a1'),
      'b1',
    )
    assert.deepEqual(drain(queue), ['a1', 'b2'])
  })

  it('removes heads for as long as they fit', () => {
    const queue = filled('a1', 'a2', 'a3', 'b1')
    assert.deepEqual(
      queue.takeWhile((item) => item < 'a3' || item === 'b1'),
      ['a1', 'a2', 'b1'],
    )
    assert.equal(queue.size, 1)
    assert.equal(queue.groups, 1)
  })
})
