import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStringTable } from './string-table.js'

const orderOf = (texts: readonly string[]): string[] => {
  const table = createStringTable()
  return texts
    .map((text) => table.intern(text))
    .sort((a, b) => table.compareNaturally(a, b))
    .map((id) => table.text(id))
}

test('numbers are ordered by their value, wherever they stand', () => {
  const ordered =
    '- 0 00 01 1 2 010 10 10a 10b 10b1 10b02 10b10 11 100 a a- a-1 a-2 a-10 a-10/2 a-10/10 a1 a1-1 a1a a01b a2 a09 a10 a99 a100 ab b'.split(
      ' ',
    )
  assert.deepEqual(orderOf(ordered.toReversed()), ordered)
  assert.deepEqual(orderOf(ordered.toSorted()), ordered)
})

test('the order is the same whichever two of three are compared', () => {
  const signs = 'ab019-'
  const texts = [...signs].flatMap((a) => [...signs].flatMap((b) => [...signs].map((c) => `${a}${b}${c}`)))
  const table = createStringTable()
  const ids = orderOf(texts).map((text) => table.intern(text))
  for (const [at, a] of ids.entries()) {
    for (const b of ids.slice(at + 1)) {
      assert.ok(table.compareNaturally(a, b) < 0, `${table.text(a)} ${table.text(b)}`)
      assert.ok(table.compareNaturally(b, a) > 0, `${table.text(b)} ${table.text(a)}`)
    }
  }
})
