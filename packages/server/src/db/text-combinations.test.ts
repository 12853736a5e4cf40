import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTextCombinations } from './text-combinations.js'

test('makes what belongs to a combination of texts once, and again after the bound', () => {
  const combinations = createTextCombinations<string>(2)
  let made = 0
  const get = (...texts: string[]): string =>
    combinations(texts, () => {
      made++
      return texts.join(' | ')
    })
  assert.equal(get('a', 'b'), 'a | b')
  assert.equal(get('a'), 'a')
  assert.equal(get('a', 'b'), 'a | b')
  assert.equal(made, 2)
  assert.equal(get('b', 'a'), 'b | a')
  assert.equal(get('a', 'b'), 'a | b')
  assert.equal(made, 4)
})
