import { type TObject, type TSchema, Type } from 'typebox'
import { type ErrorDetail, invalid } from '../../base/errors.js'
import { isStorable } from '../../base/text.js'
import type { VersionSet } from '../../base/versions.js'
import { illFormed } from '../../operations/operation.js'
import { pathNames, type Route } from '../route.js'
import { versionsOf } from './preconditions.js'
import { type Query, queryProblem, repeatedNames } from './query.js'
import { maxDetails, shortName, type Validators } from './validation.js'

const lastEventId = (text: string): string => {
  if (!/^\d{1,15}$/.test(text)) throw invalid({ path: 'Last-Event-ID', message: 'must be an event sequence' })
  return text
}

/** Parts of an input that come by a header. */
const headerReaders: Record<string, { header: string; read(text: string): VersionSet | string }> = {
  ifMatch: { header: 'if-match', read: versionsOf },
  ifNoneMatch: { header: 'if-none-match', read: versionsOf },
  lastEventId: { header: 'last-event-id', read: lastEventId },
  claim: { header: 'worklore-claim', read: (text) => text },
}

type HeaderName = 'If-Match' | 'If-None-Match' | 'Last-Event-ID' | 'Worklore-Claim'

const headerNames: Record<string, HeaderName> = {
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
  lastEventId: 'Last-Event-ID',
  claim: 'Worklore-Claim',
}

/** The parts of an operation's input by where HTTP carries them. */
interface InputParts {
  readonly path: readonly string[]
  readonly headers: readonly HeaderName[]
  readonly query: TObject
  /** Parameters that take several values with commas between them. */
  readonly lists: readonly string[]
  readonly body: TSchema | undefined
  readonly isBodyRequired: boolean
}

const isNumber = ({ type }: TSchema & { type?: string }): boolean => type === 'number' || type === 'integer'

const isList = (schema: TSchema): boolean => (schema as { type?: string }).type === 'array'

export const inputParts = ({ path, body, operation: { input } }: Route): InputParts => {
  const inPath = pathNames(path)
  const names = Object.keys(input.properties)
  const inHeaders = names.filter((name) => name in headerReaders)
  const inQuery = names.filter((name) => !inPath.includes(name) && !inHeaders.includes(name) && name !== body)
  const properties = Object.fromEntries(inQuery.map((name) => [name, input.properties[name]!]))
  const required: string[] = input.required ?? []
  return {
    path: inPath,
    headers: inHeaders.map((name) => headerNames[name]!),
    query: Type.Object(properties, { additionalProperties: false }),
    lists: inQuery.filter((name) => isList(properties[name]!)),
    body: body === undefined ? undefined : input.properties[body],
    isBodyRequired: body !== undefined && required.includes(body),
  }
}

/** A request as it came, before it is checked. */
interface RawInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export type InputReader = (raw: RawInput) => Record<string, unknown>

const repeatedMessage = (name: string, isList: boolean): string =>
  isList ? `is given more than once; separate values with commas: ${name}=a,b` : 'is given more than once'

/** Of operations that take none. */
const emptyBody = Type.Object({}, { additionalProperties: false })

const valuesOf = (text: string): string[] => text.split(',').map((value) => value.trim())

/** Returns a function that reads a route's input and reports all schema errors of a request together. */
export const createInputReader = (route: Route, validators: Validators): InputReader => {
  const { operation, body: bodyName } = route
  const parts = inputParts(route)
  const known = Object.keys(parts.query.properties)
  const numbers = known.filter((name) => isNumber(parts.query.properties[name]!))
  const checkQuery = validators.query(parts.query)
  const checkBody = validators.body(parts.body ?? emptyBody)
  const required: string[] = operation.input.required ?? []
  const fromHeaders = Object.entries(headerReaders).filter(([name]) => name in operation.input.properties)

  const readQuery = (query: Query, input: Record<string, unknown>, problems: ErrorDetail[]): void => {
    if (query[queryProblem]) throw invalid(query[queryProblem])
    for (const name of query[repeatedNames]?.slice(0, maxDetails) ?? []) {
      problems.push({ path: shortName(name), message: repeatedMessage(shortName(name), parts.lists.includes(name)) })
    }
    const values: Record<string, unknown> = { ...query }
    for (const name of parts.lists) {
      if (query[name] === undefined) continue
      const list = valuesOf(query[name])
      if (list.includes('')) problems.push({ path: name, message: 'contains an empty value' })
      values[name] = list.filter((value) => value !== '')
    }
    // JavaScript takes a blank for 0.
    for (const name of numbers) if (query[name]?.trim() === '') values[name] = ''
    for (const { path, message } of checkQuery(values)) {
      // A parameter is named as it was sent, not by the place of the value in its list.
      const name = path.split('.', 1)[0]!
      problems.push({ path: parts.lists.includes(name) ? name : path, message })
    }
    for (const name of known) if (values[name] !== undefined) input[name] = values[name]
  }

  return ({ params, query, body, headers }) => {
    const problems: ErrorDetail[] = []
    const input: Record<string, unknown> = {}
    for (const name of parts.path) {
      const value = params[name]!
      if (!isStorable(value)) problems.push({ path: name, message: 'must not contain NUL' })
      input[name] = value
    }
    for (const [name, { header, read }] of fromHeaders) {
      const text = headers[header]
      if (typeof text === 'string' && text !== '') input[name] = read(text)
      else if (required.includes(name)) problems.push({ path: headerNames[name]!, message: 'header is required' })
    }
    readQuery(query, input, problems)
    if (bodyName !== undefined) {
      input[bodyName] = body ?? (parts.isBodyRequired ? undefined : {})
      problems.push(...checkBody(input[bodyName]))
    } else if (route.method !== 'GET' && body !== undefined && body !== null) {
      for (const { path, message } of checkBody(body)) {
        problems.push({ path, message: known.includes(path) ? 'belongs in the query, not in the body' : message })
      }
    }
    if (problems.length > 0) throw illFormed(operation, problems.slice(0, maxDetails))
    return input
  }
}
