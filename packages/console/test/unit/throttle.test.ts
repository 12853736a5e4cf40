import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createThrottle } from '../../src/store/base/throttle'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a throttle', () => {
  it('works once for calls that come together, and again for later ones', async () => {
    const starts: number[] = []
    let onStart = (): void => undefined
    const throttle = createThrottle(
      () => {
        starts.push(performance.now())
        onStart()
      },
      { delayMs: 5, minGapMs: 30 },
    )
    const started = (): Promise<void> =>
      new Promise((resolve) => {
        onStart = resolve
      })
    for (let at = 0; at < 3; at++) throttle.ask()
    await started()
    assert.equal(starts.length, 1)
    assert.ok(throttle.ageMs() >= 0)
    throttle.ask()
    await started()
    assert.equal(starts.length, 2)
    // Timers may end a millisecond early.
    assert.ok(starts[1]! - starts[0]! >= 29)
  })

  it('forgets what was asked once it has ended', async () => {
    let count = 0
    const throttle = createThrottle(() => count++, { delayMs: 1 })
    throttle.ask()
    throttle.end()
    await pause(10)
    assert.equal(count, 0)
  })
})
