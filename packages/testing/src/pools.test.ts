import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type PooledTask, runInPools } from './pools.js'

/** Creates tasks that run until the test ends them, and records which have begun and which are running. */
const stage = () => {
  const running = new Map<string, () => void>()
  const begun: string[] = []
  const task = (name: string, isComputing: boolean, needsBundles = false): PooledTask => ({
    isComputing,
    needsBundles,
    run: () =>
      new Promise<void>((resolve) => {
        begun.push(name)
        running.set(name, resolve)
      }),
  })
  const end = async (name: string): Promise<void> => {
    running.get(name)!()
    running.delete(name)
    await turn()
  }
  return { begun, running, task, end }
}

describe('the pools of the test runner', () => {
  it('run tasks that compute beside tasks that wait, each in their order and no more than there is room for', async () => {
    const { begun, running, task, end } = stage()
    const tasks = [task('c1', true), task('w1', false), task('c2', true), task('c3', true), task('w2', false)]
    const all = runInPools(tasks, { computingWidth: 2, waitingWidth: 1, bundles: Promise.resolve() })
    await turn()
    assert.deepEqual([...running.keys()].sort(), ['c1', 'c2', 'w1'])
    await end('c2')
    assert.deepEqual([...running.keys()].sort(), ['c1', 'c3', 'w1'])
    for (const name of ['w1', 'c1', 'c3', 'w2']) await end(name)
    await all
    assert.deepEqual(begun.sort(), ['c1', 'c2', 'c3', 'w1', 'w2'])
  })

  it('begin with what needs no bundles until these are built', async () => {
    const { begun, task, end } = stage()
    let build = (): void => {}
    const bundles = new Promise<void>((resolve) => {
      build = resolve
    })
    const tasks = [task('bundled', true, true), task('plain', true)]
    const all = runInPools(tasks, { computingWidth: 1, waitingWidth: 1, bundles })
    await turn()
    assert.deepEqual(begun, ['plain'])
    await end('plain')
    assert.deepEqual(begun, ['plain'])
    build()
    await turn()
    assert.deepEqual(begun, ['plain', 'bundled'])
    await end('bundled')
    await all
  })

  it('fail when the bundles cannot be built', async () => {
    const { task } = stage()
    const bundles = Promise.reject(new Error('no bundles'))
    const tasks = [task('bundled', true, true)]
    await assert.rejects(runInPools(tasks, { computingWidth: 1, waitingWidth: 1, bundles }), /no bundles/)
  })
})
