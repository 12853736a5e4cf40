import type { TObject, TSchema } from 'typebox'
import { type ErrorCode, errorCodes } from '../../base/error-reasons.js'
import type { Operation } from '../../operations/operation.js'
import { inputParts } from '../api/input.js'
import { isList } from '../caching/polling.js'
import type { OperatorRoute } from '../operator-routes.js'
import type { Route } from '../route.js'
import { exampleBody, exampleOf } from './openapi-examples.js'
import {
  componentHeaders,
  componentResponses,
  errorSchema,
  headerParameters,
  responseHeaders,
} from './openapi-parts.js'

type Json = Record<string, unknown>

/** Puts every schema that has a name into the components, once, and a reference in its place. */
const extractComponents = (node: unknown, components: Json): unknown => {
  if (Array.isArray(node)) return node.map((child) => extractComponents(child, components))
  if (typeof node !== 'object' || node === null) return node
  const { $id: name, patternMessage: _, ...rest } = node as Json & { $id?: string }
  const plain: Json = {}
  for (const [key, child] of Object.entries(rest)) plain[key] = extractComponents(child, components)
  if (name === undefined) return plain
  components[name] = plain
  return { $ref: `#/components/schemas/${name}` }
}

const pathOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{key}')

/** A list is written with commas. */
const parameterSchema = (schema: TSchema): TSchema => {
  const { type, items, maxItems, examples, ...rest } = schema as TSchema & {
    type?: string
    items?: unknown
    maxItems?: number
    examples?: unknown[]
  }
  if (type !== 'array') return schema
  return {
    ...rest,
    type: 'string',
    minLength: 1,
    ...(examples && { examples: examples.map((values) => (values as string[]).join(',')) }),
  }
}

const parameterOf = (
  place: 'query' | 'path',
  name: string,
  property: TSchema,
  isRequired: boolean,
  sample?: unknown,
): Json => {
  const { description, ...schema } = parameterSchema(property) as TSchema & { description?: string }
  const isList = (property as { type?: string }).type === 'array'
  const text = isList
    ? `${description ?? ''} Separate several values with commas to match any of them.`.trim()
    : description
  const example = sample ?? (isRequired ? exampleOf(schema) : undefined)
  return {
    name,
    in: place,
    required: isRequired,
    ...(text && { description: text }),
    schema,
    ...(example !== undefined && { example }),
  }
}

const parametersOf = (route: Route): Json[] => {
  const { path, query, headers } = inputParts(route)
  const { properties, examples } = route.operation.input as TSchema & {
    properties: Record<string, TSchema>
    examples?: Json[]
  }
  const conditional = isConditionalRead(route) ? (['If-None-Match'] as const) : []
  const { kind, checksOwnClaim, isOpen } = route.operation
  const fence = kind === 'write' && !checksOwnClaim && !isOpen ? (['Worklore-Claim'] as const) : []
  const idempotent = route.method === 'POST' && !isOpen ? (['Idempotency-Key'] as const) : []
  return [
    ...path.map((name) => parameterOf('path', name, properties[name]!, true)),
    ...Object.entries(query.properties).map(([name, property]) =>
      parameterOf('query', name, property, (query.required ?? []).includes(name), examples?.[0]?.[name]),
    ),
    ...[...conditional, ...headers, ...fence, ...idempotent].map((name) => ({
      name,
      in: 'header',
      required: name === 'Worklore-Claim' && checksOwnClaim === true,
      ...headerParameters[name],
      ...(name === 'Worklore-Claim' && checksOwnClaim && { example: 'ACME-1.1' }),
    })),
  ]
}

const errorsOf = ({ operation, body }: Route): readonly ErrorCode[] => {
  const ofKeys: ErrorCode[] = operation.isOpen ? [] : ['UNAUTHORIZED', 'FORBIDDEN']
  const always: ErrorCode[] = ['VALIDATION_ERROR', ...ofKeys, 'RATE_LIMIT_EXCEEDED']
  const ofBody: ErrorCode[] = body === undefined ? [] : ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
  const ofWrite: ErrorCode[] = operation.kind === 'write' ? ['PRECONDITION_FAILED'] : []
  return [...always, ...ofBody, ...(operation.errors ?? []), ...ofWrite, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
}

/** Records that carry a version say so in a header. */
const isVersioned = (schema: TSchema): boolean => {
  const data = (schema as TObject).properties?.data as (TObject & { anyOf?: TObject[] }) | undefined
  return (data?.anyOf ?? [data]).every((record) => record?.properties?.version !== undefined)
}

/** Its answer has a tag, by which a reader is told that nothing has changed. */
const isTagged = ({ output, changesOnlyOnCommit }: Operation): boolean =>
  isVersioned(output) || isList(output) || changesOnlyOnCommit !== undefined

const isConditionalRead = ({ method, operation, handler }: Route): boolean =>
  method === 'GET' && handler === undefined && isTagged(operation)

const successOf = (status: number, route: Route): Json => ({
  description: status === 201 ? 'Created' : 'Done',
  headers: responseHeaders(
    ...(isVersioned(route.operation.output) || isConditionalRead(route) ? (['ETag'] as const) : []),
    ...(status === 201 ? (['Location'] as const) : []),
  ),
  content: { [route.mediaType ?? 'application/json']: { schema: route.operation.output } },
})

const errorResponses = (codes: readonly ErrorCode[]): Json =>
  Object.fromEntries(codes.map((code) => [errorCodes[code], { $ref: `#/components/responses/${code}` }]))

const documentOf = (route: Route): Json => {
  const { operation } = route
  const { body, isBodyRequired } = inputParts(route)
  const parameters = parametersOf(route)
  const responses: Json = {}
  for (const status of route.statuses) responses[status] = successOf(status, route)
  if (isConditionalRead(route)) responses[304] = { $ref: '#/components/responses/NOT_MODIFIED' }
  return {
    operationId: operation.name,
    summary: operation.summary,
    tags: [operation.subject],
    ...(operation.scope && { description: `Requires a key with the scope \`${operation.scope}\`.` }),
    ...(operation.isOpen && { security: [{}, { apiKey: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: isBodyRequired,
        content: { 'application/json': { schema: body, example: exampleBody(body) } },
      },
    }),
    responses: { ...responses, ...errorResponses(errorsOf(route)) },
  }
}

const operatorTag = 'Operation'

const operatorDocumentOf = ({
  name,
  summary,
  output,
  mediaType = 'application/json',
  errors = [],
}: OperatorRoute): Json => ({
  operationId: name,
  summary,
  tags: [operatorTag],
  security: [],
  responses: { 200: { description: 'Done', content: { [mediaType]: { schema: output } } }, ...errorResponses(errors) },
})

/** The OpenAPI document of the routes, from the same schemas that validate their requests. */
export const openApiDocument = (
  routes: readonly Route[],
  operatorRoutes: readonly OperatorRoute[],
  version: string,
): Json => {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  const add = (path: string, method: string, document: Json): void => {
    paths[path] ??= {}
    paths[path][method] = extractComponents(document, components)
  }
  for (const route of routes) add(pathOf(route.path), route.method.toLowerCase(), documentOf(route))
  for (const route of operatorRoutes) add(route.path, 'get', operatorDocumentOf(route))
  components.Error = errorSchema
  const tags = [...routes.map(({ operation }) => operation.subject), operatorTag]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Worklore',
      version,
      description: 'Tasks and knowledge for teams and AI agents. Send an API key as a bearer token with every request.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(tags)].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'wl_live_…' } },
      schemas: components,
      headers: componentHeaders,
      responses: componentResponses(),
    },
  }
}
