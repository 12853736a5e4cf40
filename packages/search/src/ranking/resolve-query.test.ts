import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWordIndex } from '../index/word-index.js'
import { literalQuery, parseQuery } from '../text/query.js'
import { resolveQuery } from './resolve-query.js'

test('a long text is searched for by its first words and its rarest', () => {
  const letters = [...'bcdfghjklm']
  const common = letters.flatMap((one) => [...'aeio'].map((other) => `${one}${other}trup`))
  const index = createWordIndex()
  for (let at = 0; at < 5; at++) index.upsert({ ref: `notes/${at}`, scope: '', title: '', body: common.join(' ') })
  index.upsert({ ref: 'notes/rare', scope: '', title: '', body: 'kubernetes' })
  const text = [...common, 'unheard', 'kubernetes'].join(' ')
  const termsOf = (words: ReturnType<typeof resolveQuery>['words']) =>
    words.flatMap(({ terms }) => terms).map(({ term }) => term)

  const found = termsOf(resolveQuery(index, literalQuery(text)).words)
  assert.equal(found.length, 24)
  assert.ok(
    found.includes(termsOf(resolveQuery(index, parseQuery('kubernetes')).words)[0]!),
    'the last word is the rarest',
  )
  assert.deepEqual(found.slice(0, 12), termsOf(resolveQuery(index, parseQuery(text)).words).slice(0, 12))
})
