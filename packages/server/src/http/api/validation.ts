import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import type { ErrorDetail } from '../../base/errors.js'
import { areSynonyms, didYouMean, nearestField } from '../../base/nearest-name.js'

/** As many as anyone reads. */
export const maxDetails = 50
const maxNameLength = 100

export const shortName = (name: string): string =>
  name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).toWellFormed()}…`

const pathOf = (error: ErrorObject, name?: string): string =>
  [...error.instancePath.split('/').slice(1), ...(name === undefined ? [] : [name])]
    .map((segment) => shortName(segment.replaceAll('~1', '/').replaceAll('~0', '~')))
    .join('.')

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`

const isSent = ({ data }: ErrorObject, name: string): boolean => Object.hasOwn(data as object, name)

const fieldsOf = ({ parentSchema }: ErrorObject): string[] => Object.keys(parentSchema?.properties ?? {})

/** A field that was sent already is not what an unknown one was meant for. */
const insteadOfUnknown = (error: ErrorObject, unknown: string): string => {
  const absent = fieldsOf(error).filter((name) => !isSent(error, name))
  return didYouMean(unknown, absent, nearestField)
}

/** A known field may have been sent for one that is missing. */
const insteadOfKnown = (error: ErrorObject, missing: string): string => {
  const sent = fieldsOf(error).find((name) => isSent(error, name) && areSynonyms(name, missing))
  return sent === undefined ? '' : `; did you mean ${missing} instead of ${sent}?`
}

const withArticle = (type: string): string => {
  if (type === 'null') return type
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`
}

const messageOf = (error: ErrorObject): string => {
  const { keyword, params, message, parentSchema } = error
  switch (keyword) {
    case 'additionalProperties':
      return `is unknown or read-only${insteadOfUnknown(error, params.additionalProperty)}`
    case 'required':
      return `is required${insteadOfKnown(error, params.missingProperty)}`
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`
    case 'const':
      return `must be ${params.allowedValue}`
    case 'type':
      return `must be ${([params.type].flat() as string[]).map(withArticle).join(' or ')}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${counted(params.limit, 'character')}`
    case 'maxLength':
      return `must have at most ${counted(params.limit, 'character')}`
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${counted(params.limit, 'item')}`
    case 'maxItems':
      return `must have at most ${counted(params.limit, 'item')}`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'minProperties':
      return `must have at least ${counted(params.limit, 'field')}`
    case 'format':
      return `must be a valid ${params.format}`
    case 'pattern':
      // No pattern is shown: its schema says in words what it asks for.
      return parentSchema?.patternMessage ?? 'has an invalid format'
    default:
      return message ?? 'is invalid'
  }
}

const detailOf = (error: ErrorObject): ErrorDetail => ({
  path: pathOf(error, error.params.additionalProperty ?? error.params.missingProperty),
  message: messageOf(error),
})

const isType = ({ keyword }: ErrorObject): boolean => keyword === 'type'
const isNullWanted = (error: ErrorObject): boolean => isType(error) && error.params.type === 'null'

/** One detail for each field: of a union's complaints, the first says enough. That it may be null is worth saying of a type. */
const detailsOf = (errors: readonly ErrorObject[]): ErrorDetail[] => {
  const details = new Map<string, ErrorDetail & { isType: boolean }>()
  for (const error of errors) {
    if (error.keyword === 'anyOf') continue
    if (details.size === maxDetails) break
    const detail = detailOf(error)
    const known = details.get(detail.path)
    if (known?.isType && isNullWanted(error)) known.message += ' or null'
    const isOfPart = isNullWanted(error) && [...details.keys()].some((path) => path.startsWith(`${detail.path}.`))
    if (!known && !isOfPart) details.set(detail.path, { ...detail, isType: isType(error) })
  }
  return [...details.values()].map(({ path, message }) => ({ path, message }))
}

/** Returns the problems of a value; empty if it is valid. */
export type Validator = (value: unknown) => ErrorDetail[]

export interface Validators {
  /** Validates a body, without converting types. */
  body(schema: TSchema): Validator
  /** Validates a query, and converts its strings to the numbers and booleans that the schema requires. */
  query(schema: TSchema): Validator
}

const noDetails: ErrorDetail[] = []

/** For values with more parts, only the first error is reported, because each error costs time and memory. */
const maxParts = 1_000

const isSmall = (value: unknown): boolean => {
  const parts = [value]
  for (let at = 0; at < parts.length; at++) {
    if (parts.length > maxParts) return false
    const part = parts[at]
    if (typeof part === 'object' && part !== null) for (const child of Object.values(part)) parts.push(child)
  }
  return true
}

const compilerOf = (coerceTypes: boolean): ((schema: TSchema) => Validator) => {
  // A test checks that the schemas are valid, so they are not validated here.
  const options = { coerceTypes, verbose: true, strict: false, validateSchema: false }
  const first = formats.default(new Ajv(options), ['date-time', 'email'])
  const all = formats.default(new Ajv({ ...options, allErrors: true }), ['date-time', 'email'])
  return (schema) => {
    // Compiled on first use, because compiling all schemas would take most of the startup time.
    let findFirst: ValidateFunction | undefined
    let findAll: ValidateFunction | undefined
    return (value) => {
      findFirst ??= first.compile(schema)
      if (findFirst(value)) return noDetails
      if (!isSmall(value)) return detailsOf(findFirst.errors!)
      findAll ??= all.compile(schema)
      findAll(value)
      return detailsOf(findAll.errors!)
    }
  }
}

export const createValidators = (): Validators => ({ body: compilerOf(false), query: compilerOf(true) })
