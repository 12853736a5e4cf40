import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passages } from './passages.js'

const text = (words: number) => Array.from({ length: words }, (_, at) => `word${at}`).join(' ')

test('a short text is one passage', () => {
  assert.deepEqual(passages(''), [''])
  assert.deepEqual(passages(text(200)), [text(200)])
})

test('the passages of a long text hold all of it, in words that are whole', () => {
  for (const long of [text(2_000), text(150_000)]) {
    const parts = passages(long)
    assert.ok(parts.length > 1 && parts.every((part) => part.length <= 2_200))
    assert.ok(long.startsWith(parts[0]!) && long.endsWith(parts.at(-1)!))
    let end = 0
    for (const part of parts) {
      const start = long.indexOf(part, Math.max(0, end - part.length))
      assert.ok(start >= 0 && start <= end)
      end = Math.max(end, start + part.length)
    }
    assert.equal(end, long.length)
  }
  assert.equal(
    passages('x'.repeat(1_048_576)).every((part) => part.length <= 2_200),
    true,
  )
  assert.ok(passages(text(2_000)).every((part) => /^ ?word\d+ .*word\d+$/s.test(part)))
})
