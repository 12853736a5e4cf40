import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { typesOf } from '../tools/declarations.js'
import { valuesOf } from '../tools/values.js'

const packages = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, packages), 'utf8')

it("the client's types and values are those of the OpenAPI document (npm run generate)", () => {
  const document = JSON.parse(read('server/openapi.json'))
  assert.ok(read('client/src/types.gen.ts') === typesOf(document))
  assert.ok(read('client/src/values.gen.ts') === valuesOf(document))
})
