import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isSameState } from './revert-record.js'

it('a version from before a field existed says the same as one where it is null', () => {
  const before = '{"title":"Fix the login","version":1}'
  assert.ok(isSameState(before, '{"title":"Fix the login","externalId":null,"version":2}'))
  assert.ok(!isSameState(before, '{"title":"Fix the login","externalId":"x","version":2}'))
})
