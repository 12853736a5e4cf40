import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readJson } from './body.js'

describe('readJson', () => {
  const read = async (text: string) => {
    let turns = 0
    const result = await readJson(Buffer.from(text), () => {
      turns++
    })
    return { turns, result }
  }

  it('reads a small body at once', async () => {
    assert.deepEqual(await read('{"a":1}'), { turns: 0, result: { value: { a: 1 } } })
  })

  it('reads a large body in four turns: its shape, its characters, its values and its texts', async () => {
    const content = 'ü\n'.repeat(10_000)
    assert.deepEqual(await read(JSON.stringify({ content })), { turns: 4, result: { value: { content } } })
  })

  it('stops at the first problem', async () => {
    const { turns, result } = await read(`[${'1,'.repeat(30_000)}1]`)
    assert.equal(turns, 1)
    assert.ok('problem' in result && result.problem.isJson)
    const withNul = await read(JSON.stringify({ at: { ['x'.repeat(10_000)]: '\0' } }))
    assert.ok('problem' in withNul.result && withNul.turns === 4)
  })
})
