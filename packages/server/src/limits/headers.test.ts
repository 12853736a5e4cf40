import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { planOf } from '../../test/limits-store.js'
import { decide, noCounts } from './decision.js'
import { rateLimitHeaders } from './headers.js'
import { overLimit } from './over-limit.js'
import { rulesFor } from './windows.js'

const nowMs = 1_800_000_000_500
const free = planOf('free')

describe('what a caller is told', () => {
  it('is the tightest window, and all that apply as structured fields', () => {
    assert.deepEqual(rateLimitHeaders(decide(rulesFor(free, ['searches']), noCounts(), nowMs, nowMs)), {
      'X-RateLimit-Limit': '30',
      'X-RateLimit-Remaining': '29',
      'X-RateLimit-Reset': '1800000061',
      'RateLimit-Policy':
        '"requests-per-minute";q=60;w=60, "requests-per-day";q=1000;w=86400, "searches-per-minute";q=30;w=60',
      RateLimit: '"requests-per-minute";r=59;t=60, "requests-per-day";r=999;t=86400, "searches-per-minute";r=29;t=60',
    })
  })

  it('includes the limit, the wait and the plan on a refusal', () => {
    const counts = noCounts()
    const one = planOf('free', { searchesPerMinute: 1 })
    decide(rulesFor(one, ['searches']), counts, nowMs, nowMs)
    const refused = decide(rulesFor(one, ['searches']), counts, nowMs + 17_400, nowMs + 17_400)
    const { code, message, params } = overLimit(refused, one)
    assert.equal(code, 'RATE_LIMIT_EXCEEDED')
    assert.match(message, /free plan allows 1 searches per minute/)
    assert.equal(params.retryAfter, 43)
    assert.equal(params.limit, 'searches per minute')
    assert.equal(params.plan, 'free')
    assert.equal(rateLimitHeaders(refused)['X-RateLimit-Remaining'], '0')
  })
})
