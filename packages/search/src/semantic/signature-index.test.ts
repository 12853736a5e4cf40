import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDocuments } from '../index/documents.js'
import { decodeSignatures, encodeSignatures } from '../snapshot/signature-snapshot.js'
import { createSignatureIndex } from './signature-index.js'

const DIMENSIONS = 96

const noise = (seed: number): number[] => {
  let state = seed * 2_654_435_761
  return Array.from({ length: DIMENSIONS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return Math.round((state / 2 ** 31) * 127)
  })
}
const vectors = (...seeds: number[]) => Int8Array.from(seeds.flatMap(noise))
const query = (seed: number) => Float32Array.from(noise(seed))
const everything = () => true
const byNumber = (a: number, b: number) => a < b

const filled = () => {
  const index = createSignatureIndex()
  for (let owner = 0; owner < 50; owner++) index.put(owner, vectors(owner, owner + 1_000), 2)
  return index
}

test('finds records by their best window, each once', () => {
  const index = filled()
  assert.equal(index.nearest(query(7), 1, everything, byNumber)[0], 7)
  assert.equal(index.nearest(query(1_007), 1, everything, byNumber)[0], 7)
  assert.equal(new Set(index.nearest(query(7), 40, everything, byNumber)).size, 40)
  assert.equal(index.nearest(query(7), 100, everything, byNumber).length, 50)
  assert.ok(!index.nearest(query(7), 49, (owner) => owner !== 7, byNumber).includes(7))
})

test('forgets what was replaced or removed', () => {
  const index = filled()
  index.put(7, vectors(2_000), 1)
  assert.notEqual(index.nearest(query(7), 1, everything, byNumber)[0], 7)
  assert.equal(index.nearest(query(2_000), 1, everything, byNumber)[0], 7)
  index.remove(7)
  assert.ok(!index.nearest(query(2_000), 100, everything, byNumber).includes(7))
  assert.equal(index.size, 98)
  index.put(8, new Int8Array(0), 0)
  assert.equal(index.size, 96)
})

test('orders those equally far in the same way whatever came first', () => {
  const same = [3, 1, 2].map((first) => {
    const index = createSignatureIndex()
    for (const owner of [first, 0, 1, 2, 3, 4]) index.put(owner, vectors(5), 1)
    return index.nearest(query(5), 3, everything, byNumber)
  })
  assert.deepEqual(same, [
    [0, 1, 2],
    [0, 1, 2],
    [0, 1, 2],
  ])
})

test('survives a snapshot without what is dead', () => {
  const documents = createDocuments()
  for (let owner = 0; owner < 50; owner++) documents.add(`note ${owner}`, '', 1)
  documents.remove('note 3')
  const index = decodeSignatures(encodeSignatures(filled(), documents))
  assert.equal(index.size, 98)
  assert.equal(index.nearest(query(7), 1, everything, byNumber)[0], 6)
  const damaged = encodeSignatures(filled(), documents)
  damaged[damaged.length - 1]! ^= 1
  assert.throws(() => decodeSignatures(damaged), /damaged/)
})
