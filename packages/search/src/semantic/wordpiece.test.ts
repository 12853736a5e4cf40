import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVocabulary } from './minilm.js'
import { minilmModel } from './minilm-model.js'
import { reference } from './reference-fixture.js'
import { createTokenizer } from './wordpiece.js'

const vocabulary = await readVocabulary(minilmModel.folder)
const tokenizer = createTokenizer(vocabulary)

test('tokens are those of the reference tokenizer', () => {
  for (const { text, ids } of reference) assert.deepEqual(tokenizer.encode(text, 256), ids, text)
})

test('a long text is cut and still ends as the model expects', () => {
  const ids = tokenizer.encode('word '.repeat(1000), 10)
  assert.equal(ids.length, 10)
  assert.equal(ids.at(-1), vocabulary.get('[SEP]'))
})

test('a model that is not built says what to do', async () => {
  await assert.rejects(readVocabulary('/nowhere'), /not built: run "npm run build"/)
})
