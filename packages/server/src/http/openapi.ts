import type { RouteOptions } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { type ErrorCode, errorCodes } from '../errors.js'
import { componentHeaders, componentResponses, errorSchema, responseHeaders } from './openapi-parts.js'
import { isApiUrl } from './request.js'

type Json = Record<string, unknown>

/** Puts every schema that has a name into the components, once, and a reference in its place. */
const extractComponents = (node: unknown, components: Json): unknown => {
  if (Array.isArray(node)) return node.map((child) => extractComponents(child, components))
  if (typeof node !== 'object' || node === null) return node
  const { $id: name, ...rest } = node as Json & { $id?: string }
  const plain: Json = {}
  for (const [key, child] of Object.entries(rest)) plain[key] = extractComponents(child, components)
  if (name === undefined) return plain
  components[name] = plain
  return { $ref: `#/components/schemas/${name}` }
}

const pathOf = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{key}')

const parametersIn = (place: 'query' | 'path', schema: TObject | undefined): Json[] =>
  Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property as TSchema & { description?: string }
    return {
      name,
      in: place,
      required: place === 'path' || ((schema?.required ?? []) as string[]).includes(name),
      ...(description && { description }),
      schema: rest,
    }
  })

const headerParameters: Record<string, Json> = {
  'If-Match': { description: 'Make the change only at this version, as in `"3"`.', schema: { type: 'string' } },
  'If-None-Match': {
    description: 'On a read: answer 304 at this version. On a PUT: `*` creates only.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    description: 'Lets the request act once however often it is sent, for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'Last-Event-ID': {
    description: 'The last event received: the stream goes on after it.',
    schema: { type: 'string', pattern: '^\\d{1,15}$' },
  },
}

const errorsOf = (route: RouteOptions): readonly ErrorCode[] => {
  if (!isApiUrl(route.url)) return route.config?.errors ?? []
  const always: ErrorCode[] = ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED']
  const ofBody: ErrorCode[] = route.schema?.body ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : []
  return [...always, ...ofBody, ...(route.config?.errors ?? []), 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
}

/** Records that carry a version say so in a header. */
const isVersioned = (schema: TSchema): boolean => {
  const data = (schema as TObject).properties?.data as TObject | undefined
  return data?.properties?.version !== undefined
}

const successOf = (route: RouteOptions, status: string, schema: TSchema): Json => ({
  description: status === '201' ? 'Created' : 'Done',
  ...(isApiUrl(route.url) && {
    headers: responseHeaders(
      ...(isVersioned(schema) ? (['ETag'] as const) : []),
      ...(status === '201' ? (['Location'] as const) : []),
    ),
  }),
  content: { [route.schema?.mediaType ?? 'application/json']: { schema } },
})

const responsesOf = (route: RouteOptions): Json => {
  const responses: Json = {}
  for (const [status, schema] of Object.entries(route.schema?.answers ?? {})) {
    responses[status] = successOf(route, status, schema)
  }
  if (route.method === 'GET' && route.config?.heeds?.includes('If-None-Match')) {
    responses[304] = { $ref: '#/components/responses/NOT_MODIFIED' }
  }
  for (const code of errorsOf(route)) responses[errorCodes[code]] = { $ref: `#/components/responses/${code}` }
  return responses
}

const operationOf = (route: RouteOptions): Json => {
  const { schema = {}, config } = route
  const parameters = [
    ...parametersIn('path', schema.params as TObject | undefined),
    ...parametersIn('query', schema.querystring as TObject | undefined),
    ...(config?.heeds ?? []).map((name) => ({ name, in: 'header', required: false, ...headerParameters[name] })),
  ]
  return {
    operationId: schema.operationId,
    summary: schema.summary,
    tags: schema.tags,
    ...(!isApiUrl(route.url) && { security: [] }),
    ...(config?.scope && { description: `Needs a key with the scope \`${config.scope}\`.` }),
    ...(parameters.length > 0 && { parameters }),
    ...(schema.body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: schema.body } } },
    }),
    responses: responsesOf(route),
  }
}

/** The OpenAPI document of the routes, from the same schemas that validate their requests. */
export const openApiDocument = (routes: readonly RouteOptions[], version: string): Json => {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = pathOf(route.url)
    paths[path] ??= {}
    paths[path][String(route.method).toLowerCase()] = extractComponents(operationOf(route), components)
  }
  components.Error = errorSchema
  return {
    openapi: '3.1.0',
    info: {
      title: 'Worklore',
      version,
      description: 'Tasks and knowledge for teams and AI agents. Every request carries an API key as a bearer token.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.flatMap(({ schema }) => schema?.tags ?? []))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'wl_live_…' } },
      schemas: components,
      headers: componentHeaders,
      responses: componentResponses(),
    },
  }
}
