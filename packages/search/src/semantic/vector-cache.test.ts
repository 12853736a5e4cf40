import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NONE } from '../index/string-table.js'
import type { DocumentVectors } from './candidates.js'
import { createVectorCache } from './vector-cache.js'

/** A store whose vectors are a number, of documents that are one more than the number of their ref. */
const createStore = (vectors: Record<number, number>) => {
  const reads: number[][] = []
  const readStored = async (wanted: readonly { document: number }[]): Promise<DocumentVectors[]> => {
    reads.push(wanted.map(({ document }) => document))
    return wanted.flatMap(({ document }) => {
      const value = vectors[document]
      return value === undefined ? [] : [{ document, windows: 1, vectors: Uint8Array.of(value) }]
    })
  }
  return { vectors, reads, readStored }
}

const wanted = (...documents: number[]) => documents.map((document) => ({ document, refNumber: document - 1 }))
const valuesOf = (found: readonly DocumentVectors[]) =>
  Object.fromEntries(found.map(({ document, vectors }) => [document, vectors[0]]))

test('reads what it does not know, and asks again for what has no vectors', async () => {
  const cache = createVectorCache()
  const { reads, readStored } = createStore({ 1: 10, 2: 20, 3: 30 })
  assert.deepEqual(valuesOf(await cache.read(wanted(1, 2, 9), readStored)), { 1: 10, 2: 20 })
  assert.deepEqual(valuesOf(await cache.read(wanted(3, 2, 9), readStored)), { 2: 20, 3: 30 })
  assert.deepEqual(valuesOf(await cache.read(wanted(1, 2, 3), readStored)), { 1: 10, 2: 20, 3: 30 })
  assert.deepEqual(reads, [
    [1, 2, 9],
    [3, 9],
  ])
})

test('knows a document by its ref, which has another number after a change', async () => {
  const cache = createVectorCache()
  const { reads, readStored } = createStore({ 1: 10 })
  await cache.read(wanted(1), readStored)
  assert.deepEqual(valuesOf(await cache.read([{ document: 7, refNumber: 0 }], readStored)), { 7: 10 })
  assert.equal(reads.length, 1)
})

test('reads again what has changed, also where it changed during a read', async () => {
  const cache = createVectorCache()
  const { vectors, readStored } = createStore({ 1: 10, 2: 20 })
  await cache.read(wanted(1, 2), readStored)
  vectors[1] = 11
  cache.forget(0)
  const late = await cache.read(wanted(1, 2), async (unknown) => {
    const stored = await readStored(unknown)
    vectors[1] = 12
    cache.forget(0)
    return stored
  })
  assert.deepEqual(valuesOf(late), { 1: 11, 2: 20 })
  assert.deepEqual(valuesOf(await cache.read(wanted(1, 2), readStored)), { 1: 12, 2: 20 })
})

test('keeps nothing of a document that has gone', async () => {
  const cache = createVectorCache()
  const { readStored } = createStore({ 1: 10 })
  const gone = [{ document: 1, refNumber: NONE }]
  assert.deepEqual(valuesOf(await cache.read(gone, readStored)), { 1: 10 })
  assert.equal(cache.memoryBytes, 0)
})

test('takes no more memory than it may, and copies what it keeps', async () => {
  const cache = createVectorCache(2_000)
  const packet = new Uint8Array(1_000_000).fill(5)
  const readStored = async (unknown: readonly { document: number }[]) =>
    unknown.map(({ document }) => ({ document, windows: 1, vectors: packet.subarray(document, document + 100) }))
  for (let document = 1; document <= 50; document++) await cache.read(wanted(document), readStored)
  assert.ok(cache.memoryBytes > 1_000 && cache.memoryBytes <= 2_000)
  const [newest] = await cache.read(wanted(50), async () => assert.fail('it is known'))
  assert.equal(newest?.vectors.buffer.byteLength, 100)
  const large = async () => [{ document: 60, windows: 30, vectors: packet.subarray(0, 3_000) }]
  await cache.read(wanted(60), large)
  assert.ok(cache.memoryBytes <= 2_000)
})
