import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { createValidators } from './validation.js'

const schema = Type.Object(
  { name: Type.String({ maxLength: 3 }), labels: Type.Array(Type.String({ maxLength: 2 }), { maxItems: 2_000 }) },
  { additionalProperties: false },
)

const pathsOf = (value: unknown): string[] =>
  createValidators()
    .body(schema)(value)
    .map(({ path }) => path)

describe('validation', () => {
  it('reports all errors of a small value', () => {
    assert.deepEqual(pathsOf({ name: 'long', labels: ['ok', 'long'], colour: 1 }).sort(), [
      'colour',
      'labels.1',
      'name',
    ])
    assert.deepEqual(pathsOf({ name: 'abc', labels: [] }), [])
  })

  it('reports only the first error of a value with many parts', () => {
    assert.equal(pathsOf({ name: 'long', labels: Array(1_500).fill('long') }).length, 1)
    assert.equal(pathsOf(Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`k${at}`, at]))).length, 1)
    assert.deepEqual(pathsOf({ name: 'abc', labels: Array(1_500).fill('ok') }), [])
  })
})
