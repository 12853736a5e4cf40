import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Ajv } from 'ajv'
import { tools } from '../mcp/tools.js'
import type { Core } from '../operations/core.js'
import { withBatch } from './api/batch.js'
import { createValidators } from './api/validation.js'
import { createRoutes } from './routes.js'

it('every input has a valid schema, which the service itself does not check', () => {
  // Only the schemas of the routes are read.
  const routes = withBatch(createRoutes({ watches: {} } as Core), createValidators())
  const inputs = [...routes.map(({ operation }) => operation.input), ...tools.map(({ input }) => input)]
  assert.ok(inputs.length > 50, `${inputs.length} inputs`)
  const ajv = new Ajv({ strict: false })
  for (const input of inputs) assert.equal(ajv.validateSchema(input), true, ajv.errorsText(ajv.errors))
  assert.equal(ajv.validateSchema({ type: 'object', properties: { a: { type: 'text' } } }), false)
})
