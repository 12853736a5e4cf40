import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createScheduler, writerGroup } from './scheduler.js'

/**
 * A clock that advances only with work and a little with each reading, so that every machine counts the same slices.
 */
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

const start = () => {
  const { nowMs, busyFor } = createClock()
  const scheduler = createScheduler(nowMs)
  const done: string[] = []
  /** An operation that works in steps, each after an await. */
  const operation = async (name: string, steps: number, stepMs: number): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      await scheduler.resume(name[0]!, Promise.resolve())
      busyFor(stepMs)
      done.push(name)
    }
  }
  return { scheduler, operation, done, nowMs }
}

describe('the scheduler', () => {
  it('goes on at once while the slice lasts', async () => {
    const { scheduler } = start()
    for (let step = 0; step < 5; step++) assert.equal(scheduler.turn('a'), undefined)
    await Promise.resolve()
    assert.equal(scheduler.turn('a'), undefined)
    assert.deepEqual(scheduler.figures(), { slices: 1, waits: 0 })
  })

  it('ends a slice after ten milliseconds of work behind any await', async () => {
    const { scheduler, operation } = start()
    await Promise.all(Array.from({ length: 10 }, (_, at) => operation(`a${at}`, 10, 4)))
    const { slices } = scheduler.figures()
    // 400 ms of work, at most three steps of 4 ms in a slice.
    assert.ok(slices >= 33, `${slices} slices`)
  })

  it('serves a tenant that comes after a crowd before the rest of the crowd', async () => {
    const { operation, done } = start()
    const crowd = Promise.all(Array.from({ length: 20 }, (_, at) => operation(`a${at}`, 3, 6)))
    await operation('b', 1, 1)
    assert.ok(done.length <= 6, `${done.length} steps before it`)
    await crowd
    assert.equal(done.length, 61)
  })

  it('runs one long continuation at a time', async () => {
    const { scheduler, operation, done } = start()
    const longWork = Promise.all(Array.from({ length: 8 }, (_, at) => operation(`a${at}`, 1, 50)))
    let turnsBetween = 0
    for (; done.length < 8; turnsBetween++) await new Promise((resolve) => setImmediate(resolve))
    await longWork
    assert.ok(turnsBetween >= 7, `${turnsBetween} turns of the event loop`)
    assert.ok(scheduler.figures().slices >= 8)
  })

  it('lets a tenant rest after long work while there are others, and not when it is alone', async () => {
    const elapsed = async (hasOther: boolean): Promise<number> => {
      const { operation, nowMs } = start()
      if (hasOther) await operation('b', 1, 0)
      const startedAtMs = nowMs()
      await Promise.all(Array.from({ length: 4 }, (_, at) => operation(`a${at}`, 1, 30)))
      return nowMs() - startedAtMs
    }
    const [beside, alone] = [await elapsed(true), await elapsed(false)]
    assert.ok(beside >= alone + 60, `${beside} ms beside another tenant, ${alone} ms alone`)
  })

  it('gives the writer every second turn, in the order of its statements', async () => {
    const { scheduler, operation, done } = start()
    const tenants = Promise.all([...'abcdef'].map((name) => operation(name, 2, 11)))
    const writes = Promise.all(
      [1, 2, 3].map(async (at) => {
        await scheduler.resume(writerGroup, Promise.resolve())
        done.push(`write ${at}`)
      }),
    )
    await writes
    assert.ok(done.length <= 10, `${done}`)
    assert.deepEqual(
      done.filter((name) => name.startsWith('write')),
      ['write 1', 'write 2', 'write 3'],
    )
    await tenants
  })

  it('settles what others settled in the turn of the group', async () => {
    const { scheduler, operation } = start()
    await operation('a', 1, 11)
    const waited = scheduler.figures().waits
    assert.equal(await scheduler.resume('a', Promise.resolve(1)), 1)
    await assert.rejects(scheduler.resume('a', Promise.reject(new Error('no'))), /no/)
    assert.ok(scheduler.figures().waits > waited)
    await sleep(1)
  })
})
