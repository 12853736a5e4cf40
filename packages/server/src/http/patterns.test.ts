import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TSchema, Type } from 'typebox'
import type { Core } from '../operations/core.js'
import { withBatch } from './api/batch.js'
import { createValidators } from './api/validation.js'
import { createRoutes } from './routes.js'

interface PatternSchema {
  pattern: string
  patternMessage?: string
}

const patternsIn = (node: unknown, found = new Map<string, PatternSchema>()): Map<string, PatternSchema> => {
  if (typeof node !== 'object' || node === null) return found
  if ('pattern' in node && typeof node.pattern === 'string') found.set(node.pattern, node as PatternSchema)
  for (const child of Object.values(node)) patternsIn(child, found)
  return found
}

describe('patterns of inputs', () => {
  const validators = createValidators()
  // Only the schemas of the routes are read.
  const routes = withBatch(createRoutes({ watches: {} } as Core), validators)
  const patterns = [...patternsIn(routes.map(({ operation }) => operation.input)).values()]
  // One of these breaks each of the patterns.
  const wrong = [' ', ',', '-', '\u0007']

  it('are found', () => assert.ok(patterns.length >= 5))

  for (const schema of patterns) {
    it(`are refused in words: ${schema.patternMessage}`, () => {
      const validate = validators.body(Type.Object({ field: schema as unknown as TSchema }))
      const value = wrong.find((text) => !new RegExp(schema.pattern, 'u').test(text))
      assert.ok(value !== undefined, 'a value that breaks the pattern')
      const message = validate({ field: value }).map((detail) => detail.message)
      assert.deepEqual(message, [schema.patternMessage])
      assert.match(schema.patternMessage!, /^must /)
      assert.ok(!/[\\^$[\]{}]/.test(schema.patternMessage!))
    })
  }
})
