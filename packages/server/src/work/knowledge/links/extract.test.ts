import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linksIn, maxLinks } from './extract.js'

const found = (text: string, key = 'guides/setup/linux') =>
  linksIn(key, JSON.stringify(text)).map(({ kind, target }) => `${kind} ${target}`)

describe('the links of a text', () => {
  it('are wiki links, with a heading or a label', () => {
    assert.deepEqual(found('See [[a/b]], [[c d#Heading]], [[e|the "e"]] and [[f#g|h]] and [[a/b]].'), [
      'item a/b',
      'item c d',
      'item e',
      'item f',
    ])
    assert.deepEqual(found('if [[ -f x ]]; then [[]] [[\n]]'), [])
  })

  it('are Markdown links to keys, not to addresses', () => {
    const text = '[a](b/c.md) [d](<e f> "title") [g](./h) [i](../j#k) [l](m%20n) [o](/p)'
    assert.deepEqual(found(text), [
      'item b/c',
      'item e f',
      'item guides/setup/h',
      'item guides/j',
      'item m n',
      'item p',
    ])
    assert.deepEqual(found('[a](https://b.c) [d](mailto:e@f) [g](#h) [i](//j.k) [l](../../../m) [n](?o)'), [])
  })

  it('are ids of tasks, as words of their own', () => {
    assert.deepEqual(found('ACME-1, (ACME-22) xACME-3 ACME-4x ACME-0 acme-5 a/ACME-6 ACME-7-8'), [
      'task ACME-1',
      'task ACME-22',
    ])
  })

  it('are bounded, whatever the text', () => {
    assert.equal(found(Array.from({ length: 500 }, (_, at) => `[[k${at}]]`).join(' ')).length, maxLinks)
    for (const part of ['[[', '](', '[[a|', '](<', 'A-', '[[a#', '](a "']) {
      assert.ok(found(part.repeat(1_048_576 / part.length)).length <= maxLinks)
    }
  })
})
