import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toJson } from '../../base/json.js'
import { briefHits } from './brief.js'

it('leaves the content out of a hit and shows its snippet as plain text', () => {
  const hit = { key: 'guides/linux', score: 0.5, projectId: null, updatedAt: '2026-01-31T09:00:00.000Z' }
  const found = toJson([{ ...hit, content: 'Setup & <more>', snippet: '<mark>Setup</mark> &amp; &lt;more&gt;' }])
  assert.deepEqual(briefHits(found), [{ ...hit, snippet: 'Setup & <more>' }])
})
