import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseVersion } from './kept-version.js'

it('a version from before a field existed has its initial value', () => {
  const { title, externalId, labels } = parseVersion('{"title":"Fix the login","labels":["bug"]}')
  assert.deepEqual({ title, externalId, labels }, { title: 'Fix the login', externalId: null, labels: ['bug'] })
})
