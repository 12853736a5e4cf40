import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScratchPool, type SearchScratch } from './search-scratch.js'

test('the scratch memory of a search serves the next one', () => {
  const pool = createScratchPool()
  const used: SearchScratch[] = []
  for (let search = 0; search < 2; search++) pool.use((scratch) => used.push(scratch))
  assert.equal(used[0], used[1])
})

test('two searches at once have each their own', () => {
  const pool = createScratchPool()
  pool.use((outer) => pool.use((inner) => assert.notEqual(inner, outer)))
})

test('what a search that failed has left behind is not used again', () => {
  const pool = createScratchPool()
  let failed: SearchScratch | undefined
  const fail = () =>
    pool.use((scratch) => {
      failed = scratch
      throw new Error('half way')
    })
  assert.throws(fail, /half way/)
  pool.use((scratch) => assert.notEqual(scratch, failed))
})

test('more memory than an index of usual size needs is given back', () => {
  const pool = createScratchPool()
  let large: SearchScratch | undefined
  pool.use((scratch) => {
    scratch.reserve(3_000_000)
    large = scratch
  })
  pool.use((scratch) => assert.notEqual(scratch, large))
})
