import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject, type Format } from 'ajv'
import type { Static, TSchema } from 'typebox'

const messageOf = ({ keyword, parentSchema }: ErrorObject): string => {
  if (keyword === 'required') return 'is required'
  if (keyword !== 'additionalProperties') return `must be ${parentSchema!.expected}`
  return `is unknown; must be one of ${Object.keys(parentSchema!.properties).join(', ')}`
}

const mistakeOf = (error: ErrorObject): string => {
  const { instancePath, params, propertyName } = error
  const name = propertyName ?? params.additionalProperty ?? params.missingProperty
  const path = [...instancePath.split('/').slice(1), ...(name === undefined ? [] : [name])].join('.')
  return path === '' ? messageOf(error) : `"${path}": ${messageOf(error)}`
}

const readJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`cannot be read as JSON: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Reads a JSON settings file of the operator. The error names every invalid entry, but not its value, which may be a
 * secret. Each part of the schema describes valid values in `expected`.
 */
export const readSettingsFile = <T extends TSchema>(
  path: string,
  schema: T,
  formats: Record<string, Format> = {},
): Static<T> => {
  const given = readJson(path)
  const validate = new Ajv({ allErrors: true, verbose: true, strict: false, formats }).compile(schema)
  if (validate(given)) return given as Static<T>
  const mistakes = validate.errors!.filter(({ keyword }) => keyword !== 'propertyNames').map(mistakeOf)
  throw new Error(`has invalid entries: ${[...new Set(mistakes)].join('; ')}`)
}
