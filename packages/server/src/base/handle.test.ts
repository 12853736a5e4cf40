import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { freeHandle, handleFrom, handlePattern, variantPrefix } from './handle.js'

describe('handles', () => {
  it('are made from names', () => {
    const made: Record<string, string> = {
      Ada: 'ada',
      'Zoë  Ångström': 'zoe-angstrom',
      'Grüße, Łukasz!': 'grusse-lukasz',
      ＡＢ１２: 'ab12',
      '-- build/agent --': 'build-agent',
      Иван: 'user',
      '🤖': 'user',
      Q: 'user',
      [`${'x'.repeat(31)} y`]: 'x'.repeat(31),
      ['İ'.repeat(200)]: 'i'.repeat(32),
    }
    for (const [name, handle] of Object.entries(made)) assert.equal(handleFrom(name), handle)
  })

  it('get a number where they are taken, within their length', () => {
    const taken = new Set<string>()
    const take = (handle: string): string => {
      const free = freeHandle(handle, (wanted) => taken.has(wanted))
      taken.add(free)
      return free
    }
    assert.deepEqual([take('ada'), take('ada'), take('ada'), take('ada-2')], ['ada', 'ada-2', 'ada-3', 'ada-2-2'])
    const long = `${'x'.repeat(28)}-abc`
    for (let made = 0; made < 120; made++) {
      const handle = take(long)
      assert.match(handle, new RegExp(handlePattern))
      assert.ok(handle.startsWith(variantPrefix(long)))
    }
    assert.equal(taken.size, 124)
  })
})
