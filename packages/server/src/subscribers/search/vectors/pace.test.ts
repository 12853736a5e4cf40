import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from './pace.js'

const paceAt = () => {
  const clock = { ms: 0 }
  return { clock, pace: createPace(() => clock.ms) }
}

test('the rest takes as long as what was embedded on all nodes did', () => {
  const { clock, pace } = paceAt()
  pace.note('acme', 100)
  clock.ms = 10_000
  // Another node made most of the numbers between.
  pace.note('acme', 300)
  assert.equal(pace.secondsFor('acme', 1_000), 50)
  assert.equal(pace.secondsFor('other', 1_000), undefined)
})

test('nothing is said of a moment, nor long after', () => {
  const { clock, pace } = paceAt()
  pace.note('acme', 1)
  clock.ms = 900
  pace.note('acme', 9)
  assert.equal(pace.secondsFor('acme', 10), undefined)
  clock.ms = 1_000
  pace.note('acme', 11)
  assert.equal(pace.secondsFor('acme', 10), 1)
  clock.ms = 40_000
  assert.equal(pace.secondsFor('acme', 10), undefined)
  pace.note('acme', 12)
  assert.equal(pace.secondsFor('acme', 10), undefined)
})

test('the pace of the last minute counts, without a gap between two measurements', () => {
  const { clock, pace } = paceAt()
  for (let second = 0, change = 0; second <= 200; second++) {
    clock.ms = second * 1_000
    // Ten times as fast in the second half.
    change += second < 100 ? 1 : 10
    pace.note('acme', change)
    if (second > 0) assert.notEqual(pace.secondsFor('acme', 100), undefined, `second ${second}`)
  }
  assert.equal(pace.secondsFor('acme', 100), 10)
})

test('is bounded', () => {
  const { clock, pace } = paceAt()
  for (const ms of [0, 2_000]) {
    clock.ms = ms
    for (let tenant = 0; tenant < 1_001; tenant++) pace.note(`t${tenant}`, ms + 1)
  }
  // Each was forgotten before it came again.
  assert.equal(pace.secondsFor('t0', 10), undefined)
})
