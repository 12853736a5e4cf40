import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLruCache } from './lru-cache.js'

describe('the cache of what was used last', () => {
  it('makes a value once, and again after it was the longest unused of too many', () => {
    const cache = createLruCache<string>(2)
    const made: string[] = []
    const get = (key: string) =>
      cache.get(key, () => {
        made.push(key)
        return key.toUpperCase()
      })
    assert.equal(get('a'), 'A')
    get('b')
    get('a')
    get('c')
    get('a')
    assert.deepEqual(made, ['a', 'b', 'c'])
    get('b')
    assert.deepEqual(made, ['a', 'b', 'c', 'b'])
    assert.equal(cache.size(), 2)
  })
})
