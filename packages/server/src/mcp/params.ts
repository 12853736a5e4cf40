import { PROTOCOL_VERSION_META_KEY, specTypeSchemas } from '@modelcontextprotocol/server'
import { excerpt } from './text/text.js'

/** What the protocol says about the parameters of the methods that are served here. */
const schemas: Readonly<Record<string, { readonly '~standard': { validate(value: unknown): unknown } }>> = {
  initialize: specTypeSchemas.InitializeRequestParams,
  'tools/list': specTypeSchemas.PaginatedRequestParams,
  'tools/call': specTypeSchemas.CallToolRequestParams,
  'resources/list': specTypeSchemas.PaginatedRequestParams,
  'resources/templates/list': specTypeSchemas.PaginatedRequestParams,
  'resources/read': specTypeSchemas.ReadResourceRequestParams,
  'prompts/list': specTypeSchemas.PaginatedRequestParams,
  'prompts/get': specTypeSchemas.GetPromptRequestParams,
  'completion/complete': specTypeSchemas.CompleteRequestParams,
}

interface Issue {
  readonly path?: readonly PropertyKey[]
  readonly message: string
}

const maxNamed = 5

const problemText = ({ path = [], message }: Issue): string => {
  const name = excerpt(path.map(String).join('.')) || 'params'
  const [, expected, received] = /expected (\w+), received (\w+)/.exec(message) ?? []
  if (expected === undefined) return `${name} is invalid`
  if (received === 'undefined') return `${name} is required`
  const type = expected === 'record' ? 'object' : expected
  return `${name} must be ${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`
}

/** Revisions are dates. One that is unknown is repeated in the answer, so it must not be long. */
const maxRevisionLength = 64

const isLongRevision = (params: unknown): boolean => {
  const { _meta: meta } = (params ?? {}) as { _meta?: Record<string, unknown> | null }
  const revision = meta?.[PROTOCOL_VERSION_META_KEY]
  return typeof revision === 'string' && revision.length > maxRevisionLength
}

/** What is wrong with the parameters of a request; undefined where nothing is. */
export const paramsProblem = (method: string, params: unknown): string | undefined => {
  if (isLongRevision(params))
    return `Invalid params: the protocol version is longer than ${maxRevisionLength} characters`
  if (!Object.hasOwn(schemas, method)) return undefined
  const { issues } = schemas[method]!['~standard'].validate(params === undefined ? {} : params) as {
    issues?: readonly Issue[]
  }
  return issues && `Invalid params: ${issues.slice(0, maxNamed).map(problemText).join('; ')}`
}
