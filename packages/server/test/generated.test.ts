import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { runProgram } from 'worklore-testing/program'

it('the OpenAPI document is that of the service (npm run generate)', async () => {
  const { stdout } = await runProgram(['openapi'])
  assert.ok(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8') === stdout)
})
