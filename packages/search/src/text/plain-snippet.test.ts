import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainSnippet } from './plain-snippet.js'
import { parseQuery } from './query.js'
import { createHighlighter } from './snippet.js'

test('a plain snippet is the text as it was written', () => {
  for (const text of [
    'Runs <b>fast</b> & "well", isn\'t it',
    'escaped already: &amp; &lt;mark&gt; &amp;amp; <mark>run</mark>',
    '全文検索の例',
    '',
  ]) {
    const html = createHighlighter()(parseQuery('running 検索'))(text).snippet
    assert.equal(plainSnippet(html), text)
  }
})
