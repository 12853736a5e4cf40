import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { trimTo } from './trim-input.js'

const closed = { additionalProperties: false }
const schema = Type.Object(
  {
    name: Type.String({ maxLength: 3 }),
    text: Type.String(),
    labels: Type.Union([Type.Array(Type.String({ maxLength: 2 }), { maxItems: 4 }), Type.Null()]),
    parts: Type.Array(Type.Object({ id: Type.String({ maxLength: 1 }) }, closed), { maxItems: 2 }),
  },
  closed,
)
const trim = trimTo(schema)

describe('trimming an input', () => {
  it('leaves what fits as it is, and what is of another type', () => {
    const fitting = { name: 'abc', text: 'x'.repeat(1_000), labels: ['💥💥'], parts: [{ id: 'a' }], more: 1 }
    for (const value of [fitting, { name: 1, labels: 'x', parts: {} }, { labels: null }, [], 'x', null, undefined]) {
      assert.equal(trim(value), value)
    }
  })

  it('keeps one item and one character too many, at any depth', () => {
    const value = {
      name: 'a'.repeat(1_000),
      labels: Array(1_000).fill('b'.repeat(1_000)),
      parts: Array(1_000).fill({ id: 'c'.repeat(1_000) }),
    }
    assert.deepEqual(trim(value), {
      name: 'a'.repeat(7),
      labels: Array(5).fill('b'.repeat(5)),
      parts: Array(3).fill({ id: 'ccc' }),
    })
    assert.equal(value.labels.length, 1_000)
  })

  it('keeps the known fields and some of the unknown ones', () => {
    const unknown = Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at])
    const trimmed = trim(Object.fromEntries([...unknown, ['name', 'abc']])) as object
    assert.equal(Object.keys(trimmed).length, 55)
    assert.equal('name' in trimmed && trimmed.name, 'abc')
    const open = Type.Object({ name: Type.String() })
    const many = Object.fromEntries(unknown)
    assert.equal(trimTo(open)(many), many)
  })
})
