import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { createStateCache } from './state-cache.js'

const createCache = () =>
  createStateCache<Buffer>({ maxBytes: 16_777_216, maxValueBytes: 1_048_576, bytesOf: ({ length }) => length })

const answer = (bytes = 10) => ({ state: 'now', value: Buffer.alloc(bytes) })

/** A timer that is set by another one in the middle of a tick would count from its end. */
const pass = (seconds: number) => {
  for (let second = 0; second < seconds; second++) mock.timers.tick(1_000)
}

describe('the cache of what was read in a state', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('keeps an answer while it is asked for, and forgets it a while after', () => {
    const cache = createCache()
    cache.keep('polled', answer())
    cache.keep('left', answer())
    for (let seconds = 0; seconds < 300; seconds += 20) {
      assert.ok(cache.get('polled', 'now', 0))
      pass(20)
    }
    assert.equal(cache.get('left', 'now', 0), undefined)
    pass(60)
    assert.equal(cache.get('polled', 'now', 0), undefined)
  })

  it('keeps answers of later moments as long', () => {
    const cache = createCache()
    cache.keep('first', answer())
    pass(120)
    cache.keep('second', answer())
    pass(29)
    assert.deepEqual([cache.get('first', 'now', 0), cache.get('second', 'now', 0)?.state], [undefined, 'now'])
  })

  it('forgets an answer from another state', () => {
    const cache = createCache()
    cache.keep('young', answer())
    assert.equal(cache.get('young', 'later', 0), undefined)
    assert.equal(cache.get('young', 'now', 0), undefined)
    cache.keep('old', answer())
    pass(31)
    assert.equal(cache.get('old', 'later', 0), undefined)
    assert.equal(cache.get('old', 'now', 0), undefined)
  })

  it('forgets those that were not asked for lately where there are too many', () => {
    const cache = createCache()
    const bytes = 1_000_000
    for (let at = 0; at < 100; at++) {
      cache.keep(`list ${at}`, answer(bytes))
      assert.ok(cache.get('list 0', 'now', 0))
    }
    const kept = Array.from({ length: 100 }, (_, at) => cache.get(`list ${at}`, 'now', 0)).filter(
      (each) => each !== undefined,
    )
    assert.equal(kept.length, 16)
    assert.ok(cache.get('list 99', 'now', 0))
  })

  it('keeps all that fit, in whatever order they are asked for', () => {
    const cache = createCache()
    const names = Array.from({ length: 300 }, (_, at) => `search ${at}`)
    for (const name of names) cache.keep(name, answer(50_000))
    for (const order of [names, names.toReversed()])
      for (const name of order) assert.ok(cache.get(name, 'now', 0), name)
  })

  it('has room again for what is forgotten or replaced', () => {
    const cache = createCache()
    for (let at = 0; at < 100; at++) {
      cache.keep('replaced', answer(1_000_000))
      cache.keep(`gone ${at}`, answer(1_000_000))
      cache.get(`gone ${at}`, 'later', 0)
      cache.keep('small', answer())
    }
    for (let at = 0; at < 14; at++) cache.keep(`list ${at}`, answer(1_000_000))
    assert.ok(cache.get('replaced', 'now', 0))
    assert.ok(cache.get('small', 'now', 0))
  })

  it('keeps none that is larger than a share of its room', () => {
    const cache = createCache()
    cache.keep('large', answer(2_000_000))
    assert.equal(cache.get('large', 'now', 0), undefined)
  })

  it('tells an answer that was read before from a new one', () => {
    const { isRepeated } = createCache()
    assert.deepEqual(['a', 'b', 'a', 'b', 'c'].map(isRepeated), [false, false, true, true, false])
  })
})
