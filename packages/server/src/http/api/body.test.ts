import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readJson } from './body.js'

describe('JSON of a body', () => {
  const read = async (text: string) => {
    let turns = 0
    const result = await readJson(Buffer.from(text), () => {
      turns++
    })
    return { turns, result }
  }

  it('is read at once if it is small', async () => {
    assert.deepEqual(await read('{"a":1}'), { turns: 0, result: { value: { a: 1 } } })
  })

  it('is read in four turns if it is large: its shape, its characters, its values and its texts', async () => {
    const content = 'ü\n'.repeat(10_000)
    assert.deepEqual(await read(JSON.stringify({ content })), { turns: 4, result: { value: { content } } })
  })

  it('is read no further than to its first problem', async () => {
    const { turns, result } = await read(`[${'1,'.repeat(30_000)}1]`)
    assert.equal(turns, 1)
    assert.ok('problem' in result && result.problem.isJson)
    const withNul = await read(JSON.stringify({ at: { ['x'.repeat(10_000)]: '\0' } }))
    assert.ok('problem' in withNul.result && withNul.turns === 4)
  })
})
