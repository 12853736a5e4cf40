import { Ajv, type ErrorObject } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import type { TSchema } from 'typebox'
import { type ErrorDetail, invalid } from '../errors.js'
import { isStorable } from '../text.js'
import { type Query, queryProblem } from './query.js'

// Texts of a query become the numbers and booleans its schema asks for; a body means what it says.
const createAjv = (coerceTypes: boolean): Ajv => {
  const ajv = new Ajv({ allErrors: true, coerceTypes, removeAdditional: false, useDefaults: false, strict: false })
  formats.default(ajv, ['date-time', 'email'])
  return ajv
}

/** What a path names is found or not found by the service, if the store can be asked for it at all. */
const checkParams = (params: Record<string, string>): true | { error: Error } => {
  for (const name in params) {
    if (isStorable(params[name]!)) continue
    return { error: invalid({ path: name === '*' ? 'key' : name, message: 'must not have a NUL' }) }
  }
  return true
}

export const createValidatorCompiler = (): FastifySchemaCompiler<TSchema> => {
  const bodyAjv = createAjv(false)
  const queryAjv = createAjv(true)
  return ({ schema, httpPart }) => {
    if (httpPart === 'params') return checkParams
    if (httpPart !== 'querystring') return bodyAjv.compile(schema)
    const validate = queryAjv.compile(schema)
    return (query: Query) => {
      const problem = query[queryProblem]
      return problem ? { error: problem } : validate(query) || { error: validate.errors! }
    }
  }
}

const pathOf = (error: ErrorObject, name?: string): string =>
  [...error.instancePath.split('/').slice(1), ...(name === undefined ? [] : [name])].join('.')

const detailOf = (error: ErrorObject): ErrorDetail => {
  const { keyword, params } = error
  if (keyword === 'additionalProperties') {
    return { path: pathOf(error, params.additionalProperty), message: 'is not known here, or cannot be set' }
  }
  if (keyword === 'required') return { path: pathOf(error, params.missingProperty), message: 'is required' }
  if (keyword === 'enum') return { path: pathOf(error), message: `must be one of ${params.allowedValues.join(', ')}` }
  if (keyword === 'pattern' && params.pattern === '\\S') return { path: pathOf(error), message: 'must not be blank' }
  return { path: pathOf(error), message: error.message ?? 'is wrong' }
}

/** As many as anyone reads. */
const maxDetails = 50

/** One detail a field: of a union's complaints, the first says enough. */
export const detailsOf = (errors: readonly FastifySchemaValidationError[]): ErrorDetail[] => {
  const details = new Map<string, ErrorDetail>()
  for (const error of errors as ErrorObject[]) {
    if (error.keyword === 'anyOf') continue
    if (details.size === maxDetails) break
    const detail = detailOf(error)
    const known = details.get(detail.path)
    if (!known) details.set(detail.path, detail)
    else if (error.keyword === 'type' && params(error) === 'null') known.message += ' or null'
  }
  return [...details.values()]
}

const params = (error: ErrorObject): unknown => error.params.type
