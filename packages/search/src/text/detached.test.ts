import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createVocabulary } from '../index/vocabulary.js'
import { parseQuery } from './query.js'
import { createHighlighter } from './snippet.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const heapUsed = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** Gives texts of 120,000 characters away, each with a long word of its own, and answers by how much the heap grew. */
const growthAfter = (use: (text: string, word: string) => void): number => {
  const before = heapUsed()
  for (let at = 0; at < 200; at++) {
    const word = `zebrafinchfeather${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`
    const text = Buffer.from(`${'lorem ipsum '.repeat(10_000)}${word}`).toString()
    use(text, text.slice(-word.length))
  }
  return heapUsed() - before
}

test('no text stays in memory for a word of it that is cached', () => {
  const highlight = createHighlighter()(parseQuery('zebra'))
  const vocabulary = createVocabulary()
  assert.ok(growthAfter(highlight) < 5_000_000)
  assert.ok(growthAfter((_text, word) => vocabulary.intern(word)) < 5_000_000)
  assert.equal(highlight('zebras').snippetOf(), '<mark>zebras</mark>')
  assert.notEqual(vocabulary.find('zebrafinchfeatheraa'), vocabulary.find('zebrafinchfeatherba'))
})
