import assert from 'node:assert/strict'
import { it } from 'node:test'
import { plainExcerpt, plainLine } from '../../src/markdown/plain-text.js'

it('leaves out the marks of tables, headings and checks', () => {
  for (const rule of ['| :-- | --: |', '|:-:|-|', ':-- | --:', '| --- | --- |', '---']) {
    assert.equal(plainLine(`| Name | Size |\n${rule}\n| a | 1 |`), 'Name · Size a · 1', rule)
  }
  assert.equal(plainLine('- one\n- a|b'), 'one a|b')
  assert.equal(
    plainExcerpt('Mend it. ## Done when - [ ] Tests pass - [x] It ships'),
    'Mend it. · Done when · Tests pass · It ships',
  )
  assert.equal(plainExcerpt('## Done when - [ ] Tests pass'), 'Done when · Tests pass')
  assert.equal(plainExcerpt('5 - 3 in C# is 2'), '5 - 3 in C# is 2')
})
