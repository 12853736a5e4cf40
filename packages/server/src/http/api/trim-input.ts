import type { TSchema } from 'typebox'

/** The keywords that bound a value or lead to a part of it. */
interface Bounded {
  type?: string
  maxLength?: number
  maxItems?: number
  items?: Bounded
  properties?: Record<string, Bounded>
  additionalProperties?: unknown
  anyOf?: readonly Bounded[]
}

/** Answers the value itself where nothing of it is too much. */
type Trim = (value: unknown) => unknown

/** Looked at beside the known fields: enough to say what is wrong. */
const maxUnknownFields = 50

const alternativesOf = (schema: Bounded): Bounded[] => schema.anyOf?.flatMap(alternativesOf) ?? [schema]

const largest = (limits: readonly (number | undefined)[]): number =>
  Math.max(...limits.map((limit) => limit ?? Number.POSITIVE_INFINITY))

const stringTrim = (schemas: readonly Bounded[]): Trim | undefined => {
  const maxLength = largest(schemas.map((schema) => schema.maxLength))
  if (maxLength === Number.POSITIVE_INFINITY) return undefined
  // A character is one code unit or two, so that this many are too many characters.
  const maxUnits = 2 * maxLength + 1
  return (value) => (typeof value === 'string' && value.length > maxUnits ? value.slice(0, maxUnits) : value)
}

const arrayTrim = (schemas: readonly Bounded[]): Trim | undefined => {
  const maxItems = largest(schemas.map((schema) => schema.maxItems))
  const trimItem = createTrim(schemas.flatMap(({ items }) => (items === undefined ? [] : [items])))
  if (maxItems === Number.POSITIVE_INFINITY && !trimItem) return undefined
  return (value) => {
    if (!Array.isArray(value)) return value
    const kept = value.length > maxItems ? value.slice(0, maxItems + 1) : value
    return trimItem && kept.some((item) => trimItem(item) !== item) ? kept.map(trimItem) : kept
  }
}

const objectTrim = (schemas: readonly Bounded[]): Trim | undefined => {
  const known = new Map<string, Bounded[]>()
  for (const { properties = {} } of schemas) {
    for (const [name, schema] of Object.entries(properties)) known.set(name, [...(known.get(name) ?? []), schema])
  }
  const isClosed = schemas.every(({ additionalProperties }) => additionalProperties === false)
  const maxFields = isClosed ? known.size + maxUnknownFields : Number.POSITIVE_INFINITY
  const trims = [...known].flatMap(([name, schemas]) => {
    const trim = createTrim(schemas)
    return trim ? [{ name, trim }] : []
  })

  const withoutMostUnknown = (fields: Record<string, unknown>): Record<string, unknown> => {
    const names = Object.keys(fields)
    if (names.length <= maxFields) return fields
    const kept: Record<string, unknown> = {}
    for (const name of known.keys()) if (Object.hasOwn(fields, name)) kept[name] = fields[name]
    // Enough that some of them are unknown, since there are more than are known.
    for (const name of names.slice(0, maxFields)) kept[name] = fields[name]
    return kept
  }

  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    let fields = withoutMostUnknown(value as Record<string, unknown>)
    for (const { name, trim } of trims) {
      if (!Object.hasOwn(fields, name)) continue
      const trimmed = trim(fields[name])
      if (trimmed === fields[name]) continue
      if (fields === value) fields = { ...fields }
      fields[name] = trimmed
    }
    return fields
  }
}

const trimsByType: Record<string, (schemas: readonly Bounded[]) => Trim | undefined> = {
  string: stringTrim,
  array: arrayTrim,
  object: objectTrim,
}

const createTrim = (schemas: readonly Bounded[]): Trim | undefined => {
  const alternatives = schemas.flatMap(alternativesOf)
  const trims = Object.entries(trimsByType).flatMap(([type, create]) => {
    const ofType = alternatives.filter((schema) => schema.type === type)
    return ofType.length === 0 ? [] : (create(ofType) ?? [])
  })
  if (trims.length === 0) return undefined
  return (value) => trims.reduce((trimmed, trim) => trim(trimmed), value)
}

/**
 * Cuts a value to a little more than its schema takes: it stays as wrong as it was, and to find that out takes no longer
 * than for a value that is right.
 */
export const trimTo = (schema: TSchema): Trim => createTrim([schema as Bounded]) ?? ((value) => value)
