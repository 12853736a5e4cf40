import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTurns } from './turns.js'

/** A clock that work lets pass, and every look at it a little: it is the same on every machine. */
const createClock = () => {
  let timeMs = 0
  return {
    nowMs: () => {
      timeMs += 0.1
      return timeMs
    },
    busyFor: (ms: number): void => {
      timeMs += ms
    },
  }
}

describe('turns of the event loop', () => {
  it('let who comes after a crowd be the next', async () => {
    const { nowMs, busyFor } = createClock()
    const turns = createTurns(nowMs)
    const done: string[] = []
    for (let at = 0; at < 10; at++) {
      turns.run('a', () => {
        busyFor(6)
        done.push(`a${at}`)
      })
    }
    const doneAtOnce = done.length
    assert.ok(doneAtOnce < 10, 'the crowd was served at once')
    turns.run('b', () => done.push('b'))
    assert.ok(turns.isBusy())
    while (done.length < 11) await sleep(5)
    assert.ok(done.indexOf('b') <= doneAtOnce + 1, `${done}`)
    await sleep(5)
    assert.ok(!turns.isBusy())
  })

  it('let a tenant with long work rest while there are others, and not where it is alone', async () => {
    const longWork = async (hasOther: boolean): Promise<number> => {
      const { nowMs, busyFor } = createClock()
      const turns = createTurns(nowMs)
      if (hasOther) turns.run('b', () => {})
      const startedAtMs = nowMs()
      await Promise.all(
        Array.from({ length: 4 }, () => new Promise<void>((resolve) => turns.run('a', () => resolve(busyFor(30))))),
      )
      return nowMs() - startedAtMs
    }
    assert.ok((await longWork(true)) >= 4 * 30 + 3 * 30 - 5)
    assert.ok((await longWork(false)) < 4 * 30 + 30)
  })

  it('do at once what belongs to work that has its turn', () => {
    const { nowMs, busyFor } = createClock()
    const turns = createTurns(nowMs)
    const done: string[] = []
    turns.run('a', () => {
      busyFor(15)
      turns.run('a', () => done.push('inner'))
      done.push('outer')
    })
    assert.deepEqual(done, ['inner', 'outer'])
  })
})
