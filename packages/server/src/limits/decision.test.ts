import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { randomFrom } from 'worklore-testing/random'
import { planOf } from '../../test/limits-store.js'
import { createNaiveLimits } from '../../test/naive-limits.js'
import { decide, lookAt, noCounts } from './decision.js'
import type { EndpointLimit } from './limiter.js'
import { rulesFor } from './windows.js'

const free = planOf('free')
const kinds: (EndpointLimit | undefined)[] = [undefined, 'taskCreates', 'searches', 'knowledgeWrites']
const startMs = 1_800_000_000_123

const takeMany = (times: number, take: () => ReturnType<typeof decide>) => Array.from({ length: times }, take)

describe('the decision', () => {
  it('agrees with a naive reading of the contract over long random histories', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomFrom(seed)
      const below = (limit: number) => Math.floor(random() * limit)
      const small = planOf('free', {
        requestsPerMinute: 1 + below(8),
        requestsPerDay: 1 + below(60),
        taskCreatesPerHour: 1 + below(10),
        searchesPerMinute: 1 + below(5),
        knowledgeWritesPerHour: 1 + below(10),
      })
      const larger = { ...small, requestsPerMinute: small.requestsPerMinute + 3 }
      const counts = noCounts()
      const naive = createNaiveLimits()
      let nowMs = startMs
      for (let step = 0; step < 400; step++) {
        nowMs += random() < 0.05 ? below(40_000_000) : below(9_000)
        const plan = random() < 0.3 ? larger : small
        const endpoint = kinds[below(4)]
        const expected = naive.take(plan, endpoint, nowMs)
        const actual = decide(rulesFor(plan, endpoint && [endpoint]), counts, nowMs, nowMs)
        assert.equal(actual.isAllowed, expected.isAllowed, `seed ${seed}, step ${step}`)
        assert.deepEqual(
          actual.windows.map(({ name, limit, remaining, reset }) => ({ name, limit, remaining, reset })),
          expected.windows.map(({ name, limit, remaining, waitMs }) => ({
            name,
            limit,
            remaining,
            reset: Math.ceil((nowMs + waitMs) / 1_000),
          })),
        )
        assert.equal(actual.shown.name, expected.shown.name, `seed ${seed}, step ${step}`)
        assert.equal(actual.retryAfter, expected.isAllowed ? undefined : Math.ceil(expected.shown.waitMs / 1_000))
      }
    }
  })

  it('counts a refused request in no window', () => {
    const counts = noCounts()
    takeMany(30, () => decide(rulesFor(free, ['searches']), counts, startMs, startMs))
    const refused = takeMany(50, () => decide(rulesFor(free, ['searches']), counts, startMs, startMs))
    assert.ok(refused.every(({ isAllowed, shown }) => !isAllowed && shown.name === 'searches per minute'))
    const plain = decide(rulesFor(free), counts, startMs, startMs)
    assert.equal(plain.shown.remaining, 29)
  })

  it('tells the longest wait when several windows refuse', () => {
    const tight = planOf('free', { requestsPerMinute: 1, knowledgeWritesPerHour: 1 })
    const counts = noCounts()
    decide(rulesFor(tight, ['knowledgeWrites']), counts, startMs, startMs)
    const refused = decide(rulesFor(tight, ['knowledgeWrites']), counts, startMs + 500, startMs + 500)
    assert.equal(refused.shown.name, 'knowledge writes per hour')
    assert.equal(refused.retryAfter, 3_600)
  })

  it('is open again exactly when it said, and not a millisecond before', () => {
    const counts = noCounts()
    takeMany(60, () => decide(rulesFor(free), counts, startMs, startMs))
    const late = decide(rulesFor(free), counts, startMs + 59_999, startMs + 59_999)
    assert.equal(late.isAllowed, false)
    assert.equal(late.retryAfter, 1)
    assert.ok(late.shown.reset * 1_000 >= startMs + 60_000)
    assert.equal(decide(rulesFor(free), counts, startMs + 60_000, startMs + 60_000).isAllowed, true)
  })

  it('keeps what was used when the plan changes', () => {
    const counts = noCounts()
    takeMany(60, () => decide(rulesFor(free), counts, startMs, startMs))
    assert.equal(decide(rulesFor(planOf('pro')), counts, startMs, startMs).shown.remaining, 239)
    const lowered = decide(rulesFor(free), counts, startMs, startMs)
    assert.equal(lowered.isAllowed, false)
    assert.equal(lowered.shown.remaining, 0)
  })

  it('never waits longer than the window when the clock was set back', () => {
    const counts = noCounts()
    takeMany(60, () => decide(rulesFor(free), counts, startMs, startMs))
    const earlierMs = startMs - 3_600_000
    const refused = decide(rulesFor(free), counts, earlierMs, earlierMs)
    assert.equal(refused.isAllowed, false)
    assert.equal(refused.retryAfter, 60)
    assert.equal(decide(rulesFor(free), counts, earlierMs + 60_000, earlierMs + 60_000).isAllowed, true)
  })

  it('looks at all windows without opening one', () => {
    const counts = noCounts()
    const seen = lookAt(rulesFor(free, 'all'), counts, startMs, startMs)
    assert.deepEqual(
      seen.map(({ name, remaining }) => [name, remaining]),
      [
        ['requests per minute', 60],
        ['requests per day', 1_000],
        ['task creates per hour', 100],
        ['searches per minute', 30],
        ['knowledge writes per hour', 60],
        ['session reads per minute', 600],
        ['session writes per minute', 600],
      ],
    )
    assert.deepEqual(counts, noCounts())
  })
})
