import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { typesOf } from '../tools/declarations.js'

const packages = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, packages), 'utf8')

it("the client's types are those of the OpenAPI document (npm run generate)", () => {
  assert.ok(read('client/src/types.gen.ts') === typesOf(JSON.parse(read('server/openapi.json'))))
})
