import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitMarks, normalize } from './fold.js'

test('of marks in a row only so many are kept as can be put in order quickly', () => {
  const marks = '\u0301\u0316'
  for (const run of [marks.repeat(400_000), '\uff9e\u0301'.repeat(400_000)]) {
    assert.equal(limitMarks(`e${run}a`).length, 32)
    assert.ok(normalize(`e${run}a`).length <= 32)
  }
  const few = `e${marks.repeat(15)} ${marks.repeat(15)}`
  assert.equal(limitMarks(few), few)
  assert.equal(normalize('ﬁ e\u0301 ｶﾞ'), 'fi é ガ')
})
