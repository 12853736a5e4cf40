import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSteadyClock } from './steady-clock.js'

describe('the steady clock', () => {
  it('goes on with the monotonic clock, and adds the time that the machine slept', () => {
    let monotonicMs = 5_000.7
    let uptimeMs = 90_000
    const clock = createSteadyClock(
      () => monotonicMs,
      () => uptimeMs,
    )
    const startMs = clock()
    const pass = (ms: number) => {
      monotonicMs += ms
      uptimeMs += ms
    }
    pass(10_000)
    assert.equal(clock() - startMs, 10_000)
    uptimeMs += 3_600_000
    pass(1_000)
    assert.equal(clock() - startMs, 3_611_000)
    pass(1_000)
    assert.equal(clock() - startMs, 3_612_000)
  })

  it('is not moved by the coarseness of the uptime', () => {
    let monotonicMs = 0
    const clock = createSteadyClock(
      () => monotonicMs,
      () => Math.floor(monotonicMs / 1_000) * 1_000,
    )
    for (let lastMs = clock(); monotonicMs < 60_000; ) {
      monotonicMs += 137
      const nowMs = clock()
      assert.equal(nowMs - lastMs, 137)
      lastMs = nowMs
    }
  })
})
