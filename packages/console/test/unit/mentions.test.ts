import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mentionAt } from '../../src/tasks/mentions.js'

it('offers people behind an @, also beside letters of scripts without spaces, and not in a word or an address', () => {
  const typedAt = (text: string): string | undefined => mentionAt(text, text.length)?.typed
  for (const text of ['@Ad', 'ask @ad', '(@ad', '**@ad', '请@ad', 'これは@ad', '확인@ad', '，@ad']) {
    assert.equal(typedAt(text), 'ad', text)
  }
  assert.equal(typedAt('请@'), '')
  for (const text of ['me@ad', 'é@ad', 'https://host/@ad', 'a.@ad', '\\@ad', '`@ad', '@ad ']) {
    assert.equal(typedAt(text), undefined, text)
  }
})
