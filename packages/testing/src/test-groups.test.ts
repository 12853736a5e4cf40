import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChosenFile } from './test-files.js'
import { groupTestFiles } from './test-groups.js'

const file = (path: string, more: Partial<ChosenFile> = {}): ChosenFile => ({
  path: `/packages/${path}.test.js`,
  engines: ['sqlite'],
  isLong: false,
  isWithClients: false,
  ...more,
})

const namesOf = (files: readonly ChosenFile[], lastMs: (path: string) => number = () => 1_000): string[][] =>
  groupTestFiles(files, lastMs).map((group) =>
    group.files.map((path) => path.split('/').at(-1)!.replace('.test.js', '')),
  )

describe('groups of test files', () => {
  it('share a process where package, engines and length are the same', () => {
    const both = { engines: ['sqlite', 'postgres'] } as const
    const files = [
      file('server/dist/test/a'),
      file('server/dist/test/b'),
      file('server/dist/test/c', both),
      file('server/dist/test/d', { isLong: true }),
      file('search/dist/src/e'),
    ]
    assert.deepEqual(namesOf(files).sort(), [['a', 'b'], ['c'], ['d'], ['e']])
  })

  it('begin with the longest, and are no longer than a minute unless one file is', () => {
    const files = ['a', 'b', 'c', 'd'].map((name) => file(`server/dist/test/${name}`))
    const lastMs = (path: string): number => (path.includes('/c.') ? 90_000 : 25_000)
    assert.deepEqual(namesOf(files, lastMs), [['c'], ['a', 'b'], ['d']])
  })

  it('wait in a pool of their own where their tests start processes', () => {
    const groups = groupTestFiles(
      [file('server/dist/test/faults/a'), file('cli/dist/test/b'), file('server/dist/test/contract/c')],
      () => 1,
    )
    assert.deepEqual(groups.map(({ isComputing }) => isComputing).sort(), [false, false, true])
  })

  it('load the console in Node for its unit tests only, before the bundles are there', () => {
    const [unit] = groupTestFiles([file('console/dist/test/unit/a')], () => 1)
    const [browser] = groupTestFiles([file('console/dist/test/a')], () => 1)
    assert.deepEqual([unit!.loadsConsole, unit!.needsBundles], [true, false])
    assert.deepEqual([browser!.loadsConsole, browser!.needsBundles], [false, true])
  })
})
