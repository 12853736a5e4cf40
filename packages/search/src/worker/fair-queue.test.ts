import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.js'

const options = { maxRunning: 2, maxRunningOfKey: 1, maxWaitingOfKey: 3 }

test('jobs of different keys are started in turn', () => {
  const queue = createFairQueue(options)
  const started: string[] = []
  const add = (key: string, name: string) => queue.add(key, () => started.push(name))
  for (const name of ['a1', 'a2', 'a3']) assert.ok(add('a', name))
  for (const name of ['b1', 'b2']) assert.ok(add('b', name))
  assert.ok(add('c', 'c1'))
  assert.deepEqual(started, ['a1', 'b1'])
  queue.done('a')
  assert.deepEqual(started, ['a1', 'b1', 'a2'])
  queue.done('a')
  assert.deepEqual(started, ['a1', 'b1', 'a2', 'c1'])
  queue.done('b')
  queue.done('c')
  queue.done('a')
  queue.done('b')
  assert.deepEqual(started.sort(), ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
})

test('too many of one key are refused, and one that is taken back is not started', () => {
  const queue = createFairQueue(options)
  const started: number[] = []
  const takeBacks = [0, 1, 2, 3].map((job) => queue.add('a', () => started.push(job)))
  assert.equal(
    queue.add('a', () => started.push(4)),
    undefined,
  )
  assert.ok(queue.add('b', () => started.push(5)))
  takeBacks[1]!()
  queue.done('a')
  assert.deepEqual(started, [0, 5, 2])
})
