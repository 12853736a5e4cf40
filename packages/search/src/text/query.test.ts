import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from './query.js'

const plain = (text: string) => parseQuery(text).words.map(({ word }) => word)

test('knows phrases, exclusions and plain text', () => {
  const query = parseQuery('deploy "blue green" -staging -"dry run" a-b')
  assert.deepEqual(query.phrases, ['blue green'])
  assert.deepEqual(query.excludedWords, ['staging'])
  assert.deepEqual(query.excludedPhrases, ['dry run'])
  assert.deepEqual(plain('deploy "blue green" -staging'), ['deploy', 'blue', 'green'])
})

test('counts a word said twice', () => {
  assert.deepEqual(parseQuery('data types and data').words, [
    { word: 'data', isVariant: false, count: 2 },
    { word: 'types', isVariant: false, count: 1 },
  ])
})

test('takes odd signs for plain text', () => {
  assert.deepEqual(parseQuery('foo - bar -- "baz').phrases, [])
  assert.deepEqual(plain('foo - bar -- "baz'), ['foo', 'bar', 'baz'])
  for (const text of ['', '"', '""', '-', '--', '-"', '*', '(a OR', '\u0000', '\ud800']) assert.ok(parseQuery(text))
})

test('reads quotes and dashes in prose as prose', () => {
  const query = parseQuery(
    'articles on text formatting systems including "what you see" editors, printers, screens, fonts',
  )
  assert.deepEqual(query.phrases, [])
  assert.deepEqual(parseQuery('"全文" データベースの検索について').phrases, ['全文'])
})

test('offers the last word as a prefix only while it may be in the typing', () => {
  assert.equal(parseQuery('run migr').prefix, 'migr')
  assert.equal(parseQuery('src/db/mig').prefix, 'mig')
  assert.equal(parseQuery('run migrations?').prefix, undefined)
  assert.equal(parseQuery('"run migr"').prefix, undefined)
})

test('is capped', () => {
  const query = parseQuery(Array.from({ length: 5000 }, (_, at) => `word${at}x`).join(' '))
  assert.ok(query.text.length <= 1000)
  assert.ok(query.words.length <= 64)
})

test('takes a minus before a number for a sign', () => {
  for (const text of ['returns -1', 'exit status -1', 'below -.5']) {
    assert.deepEqual(parseQuery(text).excludedWords, [], text)
  }
  assert.deepEqual(parseQuery('exit -zero').excludedWords, ['zero'])
})

test('keeps phrases of stop words', () => {
  assert.deepEqual(parseQuery('"off by one"').phrases, ['off by one'])
  assert.deepEqual(parseQuery('"!?"').phrases, [])
})
