import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTurns } from './turns.js'

const busyFor = (ms: number): void => {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

describe('turns of the event loop', () => {
  it('let who comes after a crowd be the next', async () => {
    const turns = createTurns()
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
      const turns = createTurns()
      if (hasOther) turns.run('b', () => {})
      const startedAtMs = performance.now()
      await Promise.all(
        Array.from({ length: 4 }, () => new Promise<void>((resolve) => turns.run('a', () => resolve(busyFor(30))))),
      )
      return performance.now() - startedAtMs
    }
    assert.ok((await longWork(true)) >= 4 * 30 + 3 * 30 - 5)
    let alone = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 5; tries++) alone = Math.min(alone, await longWork(false))
    assert.ok(alone < 4 * 30 + 3 * 30 - 5, `${alone} ms`)
  })

  it('do at once what belongs to work that has its turn', () => {
    const turns = createTurns()
    const done: string[] = []
    turns.run('a', () => {
      busyFor(15)
      turns.run('a', () => done.push('inner'))
      done.push('outer')
    })
    assert.deepEqual(done, ['inner', 'outer'])
  })
})
