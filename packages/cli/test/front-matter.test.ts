import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { editFrontMatter, type FieldEdit, splitFrontMatter } from '../src/transfer/front-matter.js'

const textOf = (lines: string): string => `---\n${lines}\n---\nText`

describe('front matter', () => {
  const whole = `# mine
title: A title # why
tags: [a, "b c"] # x
summary: |
  one
  two

folded: >-
  three
  four
nested:
  deep: {x: 1, y: [2]}
n: 007
d: 2026-01-31
empty:
aliases:
  - X # c
  - 'it''s'
assignee: @me
copy: &c value
copied: *c`

  it('is read as YAML', () => {
    assert.deepEqual(splitFrontMatter(textOf(whole)), {
      fields: {
        title: 'A title',
        tags: ['a', 'b c'],
        summary: 'one\ntwo\n',
        folded: 'three four',
        nested: { deep: { x: 1, y: [2] } },
        n: '007',
        d: '2026-01-31',
        empty: '',
        aliases: ['X', "it's"],
        assignee: '@me',
        copy: 'value',
        copied: 'value',
      },
      body: 'Text',
    })
  })

  it('may have plain values with a colon', () => {
    const { fields } = splitFrontMatter(textOf('title: Sizes: an overview\nsource: https://example.com/a?b=c#d'))
    assert.deepEqual(fields, { title: 'Sizes: an overview', source: 'https://example.com/a?b=c#d' })
  })

  it('has no fields where it is not valid, and is no front matter without an end', () => {
    assert.deepEqual(splitFrontMatter(textOf('title: [a')), { fields: {}, body: 'Text' })
    assert.deepEqual(splitFrontMatter(textOf('- a')), { fields: {}, body: 'Text' })
    assert.deepEqual(splitFrontMatter('---\ntitle: a'), { fields: undefined, body: '---\ntitle: a' })
  })

  it('keeps all else byte for byte when fields are changed, added and removed', () => {
    const edits: FieldEdit[] = [
      [['title'], 'A: new one'],
      [['tags', 'tag'], ['z']],
      [['aliases', 'alias'], undefined],
      [['source'], 'https://example.com'],
      [['empty'], 'no longer'],
    ]
    const expected = whole
      .replace('title: A title', 'title: "A: new one"')
      .replace('[a, "b c"]', '["z"]')
      .replace("aliases:\n  - X # c\n  - 'it''s'\n", '')
      .replace('empty:', 'empty: "no longer"')
    for (const eol of ['\n', '\r\n']) {
      const [before, after] = [textOf(whole), textOf(`${expected}\nsource: "https://example.com"`)]
      const edited = editFrontMatter(before.replaceAll('\n', eol), edits)
      assert.equal(edited, after.replaceAll('\n', eol))
    }
  })

  it('is edited whatever its style, or not at all', () => {
    const edits: FieldEdit[] = [[['title'], 'Other']]
    const expected: [lines: string, edited: string | undefined][] = [
      ['"title": x', '"title": "Other"'],
      ['title: |\n  a\n  b\nother: c', 'title: "Other"\nother: c'],
      ['title: [\n  a\n]\nother: c', 'title: "Other"\nother: c'],
      ['# only', '# only\ntitle: "Other"'],
      ['{title: x}', undefined],
      ['  other: x', undefined],
      ['title: &t x\nother: *t', undefined],
      ['title:\n  - &t x\nother: *t', undefined],
      ['title: [x', undefined],
    ]
    for (const [lines, edited] of expected) {
      assert.equal(editFrontMatter(textOf(lines), edits), edited && textOf(edited), lines)
    }
    assert.equal(editFrontMatter(textOf('title: x'), [[['title'], undefined]]), 'Text')
    assert.equal(editFrontMatter('\ufeffText', edits), '\ufeff---\ntitle: "Other"\n---\nText')
  })
})
