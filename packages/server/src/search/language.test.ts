import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMeaning } from './language.js'

test('words have a meaning, codes have none', () => {
  for (const query of ['roll back', 're-index', 'TS2345 while building', 'café']) assert.ok(hasMeaning(query), query)
  for (const query of ['ACME-5', 'xq7-99-kk', 'TS2345', '42', '--', 'x']) assert.ok(!hasMeaning(query), query)
})
