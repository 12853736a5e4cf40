import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countOf, numberText } from '../../src/components/count.js'

describe('counts in the console', () => {
  it('have separators between thousands', () => {
    const texts = [0, 1, 999, 1_000, 1_234, 12_345, 1_234_567].map(numberText)
    assert.deepEqual(texts, ['0', '1', '999', '1,000', '1,234', '12,345', '1,234,567'])
  })

  it('have a noun in the singular for one, and in the plural for none and for several', () => {
    const texts = [0, 1, 2, 21, 1_234].map((count) => countOf(count, 'task'))
    assert.deepEqual(texts, ['0 tasks', '1 task', '2 tasks', '21 tasks', '1,234 tasks'])
  })
})
