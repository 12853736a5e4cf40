import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeCursor, encodeCursor, listFingerprint } from './paging.js'

const fingerprint = listFingerprint(['ten_1', 'tasks'])

describe('cursors', () => {
  it('keep integers and texts', () => {
    const { MAX_SAFE_INTEGER: max } = Number
    for (const value of [0, 1, -1, 63, 64, 127, 128, -128, 1_800_000_000_123, max, max - 1, -max, 1 - max]) {
      for (const text of ['', 'prj_8sVnQ2kLw0ZtY3bRcX6m', 'a/ключ/🙂', '\ufefftext']) {
        const cursor = encodeCursor(fingerprint, [value, text, value])
        assert.deepEqual(decodeCursor(cursor, fingerprint, ['integer', 'text', 'integer']), [value, text, value])
      }
    }
  })

  it('are short', () => {
    assert.ok(encodeCursor(fingerprint, [1_800_000_000_123, 12]).length <= 16)
    assert.ok(encodeCursor(fingerprint, [Number.MAX_SAFE_INTEGER]).length <= 7)
  })

  it('are refused by another list, and where they are none', () => {
    const cursor = encodeCursor(fingerprint, [1, 'a'])
    const other = listFingerprint(['ten_2', 'tasks'])
    assert.throws(() => decodeCursor(cursor, other, ['integer', 'text']), /other filters/)
    assert.throws(() => decodeCursor(cursor, fingerprint, ['integer']), /other filters/)
    assert.throws(() => decodeCursor(cursor, fingerprint, ['integer', 'text', 'integer']), /other filters/)
    for (const none of ['', 'abc', `${cursor}=`, `${cursor} `, '🙂', 'null']) {
      assert.throws(() => decodeCursor(none, fingerprint, ['integer', 'text']), /cursor/, none)
    }
    const withNul = encodeCursor(fingerprint, [1, '\0'])
    assert.throws(() => decodeCursor(withNul, fingerprint, ['integer', 'text']), /other filters/)
  })
})
