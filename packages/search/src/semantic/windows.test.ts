import assert from 'node:assert/strict'
import { test } from 'node:test'
import { windows } from './windows.js'

const sentence = (i: number) => `Sentence number ${i} says something about replicas.`
const longText = Array.from({ length: 60 }, (_, i) => sentence(i)).join(' ')

test('a short text is one window, an empty one none', () => {
  assert.deepEqual(windows('  one line  '), ['one line'])
  assert.deepEqual(windows(' \n '), [])
})

test('windows cover a long text and overlap', () => {
  const parts = windows(longText)
  assert.ok(parts.length > 2)
  for (let i = 0; i < 60; i++) assert.ok(parts.some((part) => part.includes(sentence(i))))
  for (const [i, part] of parts.slice(1).entries()) assert.ok(parts[i]!.includes(part.slice(0, 100)))
})

test('every window begins with the heading', () => {
  const parts = windows(`# Replicas\n${longText}`)
  assert.ok(parts.length > 2)
  for (const part of parts) assert.ok(part.startsWith('# Replicas\n'))
})

test('a megabyte is embedded to its end', () => {
  const book = `${longText.repeat(349)} The end.`
  assert.ok(book.length > 1_000_000 && book.length < 1_048_576)
  assert.ok(windows(book).at(-1)!.endsWith('The end.'))
})

test('no text has more windows than a bound', () => {
  assert.equal(windows('1 '.repeat(524_288)).length, 1_500)
  assert.equal(windows('a'.repeat(100_000)).length, 1)
})
