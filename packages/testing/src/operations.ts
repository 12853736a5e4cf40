import type { Scope } from 'worklore/dist/src/operations/actor.js'
import type { TestTenant } from './harness.js'

export interface Schema {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  $ref?: string
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

/** One operation of the OpenAPI document, as the tests that are generated from it see it. */
export interface Operation {
  id: string
  method: string
  template: string
  /** The scope that the document says it needs. */
  scope: Scope | undefined
  /** It needs no key. */
  isOpen: boolean
  parameters: Parameter[]
  body: Schema | undefined
  statuses: number[]
}

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
type Json = any

const resolve = (document: Json, node: Json): Json => {
  if (Array.isArray(node)) return node.map((each) => resolve(document, each))
  if (typeof node !== 'object' || node === null) return node
  if (typeof node.$ref === 'string') {
    const target = node.$ref.split('/').slice(1)
    return resolve(
      document,
      target.reduce((at: Json, name: string) => at[name], document),
    )
  }
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolve(document, value)]))
}

/** Every operation under /v1 that answers JSON: new routes join by themselves. */
export const readOperations = async (wl: Pick<TestTenant, 'get'>): Promise<Operation[]> => {
  const document = (await wl.get('/openapi.json', { key: null })).body
  const operations: Operation[] = []
  for (const [template, methods] of Object.entries<Json>(document.paths)) {
    if (!template.startsWith('/v1/')) continue
    for (const [method, operation] of Object.entries<Json>(methods)) {
      const success = operation.responses['200'] ?? operation.responses['201']
      if (!success?.content?.['application/json']) continue
      operations.push({
        id: operation.operationId,
        method: method.toUpperCase(),
        template,
        scope: /scope `([\w:]+)`/.exec(operation.description ?? '')?.[1] as Scope | undefined,
        isOpen: operation.security !== undefined,
        parameters: resolve(document, operation.parameters ?? []),
        body: resolve(document, operation.requestBody?.content['application/json'].schema),
        statuses: Object.keys(operation.responses).map(Number),
      })
    }
  }
  return operations
}

export const pathParametersOf = ({ template }: Pick<Operation, 'template'>): string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

/** The headers that an operation cannot do without, for a task. */
export const requiredHeaders = ({ parameters }: Operation, taskId: string): Record<string, string> =>
  parameters.some(({ name, required }) => name === 'Worklore-Claim' && required)
    ? { 'worklore-claim': `${taskId}.1` }
    : {}

/** Fills the path, where every id is one path segment and a knowledge key may be several. */
export const fillPath = (template: string, textOf: (name: string) => string): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name) => textOf(name).split('/').map(encodeURIComponent).join('/'))

/** The smallest value that the schema takes; `known` supplies the fields that must name a record. */
export const exampleOf = (schema: Schema, known: Record<string, unknown> = {}): unknown => {
  if (schema.const !== undefined) return schema.const
  if (schema.anyOf) return exampleOf(schema.anyOf.find(({ type }) => type !== 'null') ?? schema.anyOf[0]!, known)
  if (schema.type === 'object') {
    const fields: Record<string, unknown> = {}
    for (const name of schema.required ?? []) fields[name] = known[name] ?? exampleOf(schema.properties![name]!, known)
    return fields
  }
  if (schema.examples?.length) return schema.examples[0]
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'array') return schema.minItems ? [exampleOf(schema.items!, known)] : []
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return true
  return 'a'.repeat(Math.max(1, schema.minLength ?? 1))
}
