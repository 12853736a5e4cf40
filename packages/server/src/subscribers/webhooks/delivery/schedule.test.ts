import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { afterFailure, hasFailedTooLong, healthy, nextAttemptAt } from './schedule.js'

const hour = 3_600_000
const day = 24 * hour

describe('the retry schedule', () => {
  it('waits about 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then gives up', () => {
    const waits = Array.from({ length: 10 }, (_, i) => nextAttemptAt(i + 1, 0, null, () => 0))
    assert.deepEqual(
      waits,
      [5_000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, day, null].map((ms) => ms),
    )
    assert.equal(
      nextAttemptAt(1, 0, null, () => 1),
      6_000,
    )
  })

  it('waits longer where the receiver asks, but not for ever', () => {
    assert.equal(
      nextAttemptAt(1, 1_000, 60_000, () => 0),
      61_000,
    )
    assert.equal(
      nextAttemptAt(3, 0, 1_000, () => 0),
      1_800_000,
    )
    assert.equal(
      nextAttemptAt(1, 0, 999 * day, () => 0),
      day,
    )
  })
})

describe('the health of a webhook', () => {
  it('pauses the log after three failures in a row, for longer each time up to five minutes', () => {
    let health = healthy
    const pauses: number[] = []
    for (let i = 0; i < 12; i++) {
      health = afterFailure(health, 1_000, null)
      pauses.push(Math.max(0, health.pausedUntil - 1_000))
    }
    assert.deepEqual(pauses.slice(0, 5), [0, 0, 5_000, 10_000, 20_000])
    assert.equal(pauses.at(-1), 300_000)
  })

  it('has failed too long after five days without a success', () => {
    let health = afterFailure(healthy, day, null)
    for (let at = 1; at < 6; at++) health = afterFailure(health, day + at * day, null)
    assert.equal(hasFailedTooLong(health, 6 * day - 1), false)
    assert.equal(hasFailedTooLong(health, 6 * day), true)
  })

  it('does not take failures that lie far apart for one', () => {
    const health = afterFailure(afterFailure(healthy, 0, null), 10 * day, null)
    assert.equal(hasFailedTooLong(health, 10 * day), false)
  })
})
