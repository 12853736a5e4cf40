import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

type Schema = Record<string, unknown>

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema
}

interface Operation {
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> } | { $ref: string }>
}

interface Description {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

const file = new URL('../../../test/fixtures/openapi.json', import.meta.url)
const description = JSON.parse(readFileSync(file, 'utf8')) as Description

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, discriminator: false })
formats.default(ajv)
ajv.addSchema({ $id: 'github', ...description })

const resolved = <T>(value: T | { $ref: string }): T => {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const [, , kind, name] = value.$ref.split('/') as [string, string, string, string]
  return resolved(description.components[kind]![name] as T)
}

const validators = new Map<object, ValidateFunction>()

const problemOf = (schema: Schema, value: unknown): string | undefined => {
  let validate = validators.get(schema)
  if (!validate) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"github#/components')))
    validators.set(schema, validate)
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}

const templates = Object.keys(description.paths)
  .sort((a, b) => Number(a.includes('{issue_number}')) - Number(b.includes('{issue_number}')))
  .map((template) => ({ template, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) }))

export interface Described {
  template: string
  /** Of the path, in its order. */
  values: string[]
  operation: Operation
}

/** The operation of GitHub's description that a request is; a request that it does not have fails the test. */
export const describedBy = (method: string, path: string): Described => {
  for (const { template, pattern } of templates) {
    const match = pattern.exec(path)
    const operation = description.paths[template]![method.toLowerCase()]
    if (match && operation) return { template, values: match.slice(1).map(decodeURIComponent), operation }
  }
  return assert.fail(`GitHub has no ${method} ${path}`)
}

/** A value of a query as its schema has it. */
const parsedValue = (schema: Schema, text: string): unknown => (schema.type === 'integer' ? Number(text) : text)

export const checkRequest = (
  { template, values, operation }: Described,
  query: URLSearchParams,
  body: unknown,
): void => {
  const parameters = (operation.parameters ?? []).map((each) => resolved(each) as Parameter)
  for (const [name, text] of query) {
    const parameter = parameters.find((each) => each.in === 'query' && each.name === name)
    assert.ok(parameter, `${template} has no parameter ${name}`)
    assert.equal(
      problemOf(parameter.schema, parsedValue(parameter.schema, text)),
      undefined,
      `${template} ${name}=${text}`,
    )
  }
  const inPath = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  for (const [at, name] of inPath.entries()) {
    const { schema } = parameters.find((each) => each.in === 'path' && each.name === name)!
    assert.equal(problemOf(schema, parsedValue(schema, values[at]!)), undefined, `${template} ${name}=${values[at]}`)
  }
  const schema = operation.requestBody?.content['application/json']?.schema
  if (body === undefined) return
  assert.ok(schema, `${template} takes no body`)
  assert.equal(problemOf(schema, body), undefined, `${template} ${JSON.stringify(body).slice(0, 500)}`)
  // The description allows more than it names, so that a typo would pass.
  for (const name of Object.keys(body as object))
    assert.ok(name in (schema.properties as object), `${template} ${name}`)
}

export const checkAnswer = ({ template, operation }: Described, status: number, body: unknown): void => {
  // Limits, a bad token and failures can be the answer to anything.
  if (
    status === 401 ||
    status === 429 ||
    status >= 500 ||
    status === 304 ||
    (status === 403 && !operation.responses[403])
  )
    return
  const response = operation.responses[status]
  assert.ok(response, `${template} does not answer ${status}`)
  const schema = (resolved(response) as { content?: Record<string, { schema: Schema }> }).content?.['application/json']
    ?.schema
  if (!schema) return
  assert.equal(problemOf(schema, body), undefined, `${template} ${status} ${JSON.stringify(body).slice(0, 300)}`)
}

/** A record that has what a schema requires and nothing else. */
export const sampleOf = (name: string): Record<string, unknown> =>
  sampleOfSchema(description.components.schemas![name] as Schema) as Record<string, unknown>

const sampleOfSchema = (given: Schema): unknown => {
  const schema = resolved(given as Schema | { $ref: string }) as Schema
  const types = ([] as unknown[]).concat(schema.type ?? [])
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (types.includes('null') || options?.some(({ type }) => type === 'null')) return null
  if (schema.enum) return (schema.enum as unknown[])[0]
  if (options) return sampleOfSchema(options[0]!)
  if (schema.allOf) return Object.assign({}, ...(schema.allOf as Schema[]).map(sampleOfSchema))
  if (types.includes('object') || schema.properties) {
    const properties = (schema.properties ?? {}) as Record<string, Schema>
    const required = (schema.required ?? []) as string[]
    return Object.fromEntries(required.map((each) => [each, sampleOfSchema(properties[each] ?? {})]))
  }
  if (types.includes('array')) return []
  if (types.includes('integer') || types.includes('number')) return 1
  if (types.includes('boolean')) return false
  if (schema.format === 'date-time') return '2026-01-31T09:00:00Z'
  if (schema.format === 'uri') return 'https://api.github.com/x'
  return 'x'
}
