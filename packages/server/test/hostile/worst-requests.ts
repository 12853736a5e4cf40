import { exampleOf, fillPath, type Operation, type Schema } from 'worklore-testing/operations'

/** A request that is as much work to check as the limits of the service allow. */
export interface WorstRequest {
  what: string
  method: string
  path: string
  /** Made when it is sent: making it is as much work as checking it. */
  rawBody?: () => Buffer
}

/** A little less than the longest body, and than the most values in one. */
const bodyBytes = 2_000_000
const values = 19_900
const queryCharacters = 15_000
const pathCharacters = 8_000

/** Texts that are much work for some pattern, format or split. */
const fillings: Record<string, string> = {
  letters: 'a',
  spaces: ' ',
  't, as between date and time': 't',
  'ats and dots': 'a@a.',
  commas: ',',
  'pairs of surrogates': '💥',
  escapes: '\u0001',
}

/** Of a field whose length is bounded it makes no difference what is beyond the bound. */
const boundedFillings = { letters: 'a', escapes: '\u0001' }
/** In a query there is room for little. */
const queryFillings = { letters: 'a', commas: ',', 'pairs of surrogates': '💥' }

const repeated = (filling: string, length: number): string => filling.repeat(Math.ceil(length / filling.length))

const lists: Record<string, () => unknown[]> = {
  texts: () => Array.from({ length: values }, (_, at) => `v${at}`),
  'empty texts': () => Array(values).fill(''),
  numbers: () => Array.from({ length: values }, (_, at) => at),
  objects: () => Array.from({ length: values / 2 }, (_, at) => ({ v: at })),
  'long texts': () => Array.from({ length: 1_000 }, (_, at) => `${at}${'a'.repeat(bodyBytes / 1_000 - 10)}`),
}

const alternativesOf = (schema: Schema): Schema[] => schema.anyOf?.flatMap(alternativesOf) ?? [schema]

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

const manyFields = (nameOf: (at: number) => string, count = values): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [nameOf(at), at]))

/** What makes a body of a schema hard to check, each with the fields that it has beside those that are required. */
function* worstFields(schema: Schema): Generator<[what: string, fields: () => Record<string, unknown>]> {
  yield ['unknown fields', () => manyFields((at) => `k${at}`)]
  const [name = 'x'] = Object.keys(schema.properties ?? {})
  yield ['unknown fields that are nearly known', () => manyFields((at) => `${name.slice(1)}${at}`)]
  yield ['unknown fields with long names', () => manyFields((at) => `${at}${'n'.repeat(9_000)}`, 200)]
  yield ['a field with a name as long as the body', () => ({ ['n'.repeat(bodyBytes)]: 1 })]
  yield ['unknown fields, nested', () => ({ x: Array.from({ length: 300 }, () => nested(55)) })]
  for (const [field, fieldSchema] of Object.entries(schema.properties ?? {})) {
    yield [`${field}: nested`, () => ({ [field]: Array.from({ length: 300 }, () => nested(55)) })]
    yield [`${field}: many fields`, () => ({ [field]: manyFields((at) => `k${at}`) })]
    const types = alternativesOf(fieldSchema).map(({ type }) => type)
    if (types.includes('array')) {
      for (const [what, list] of Object.entries(lists)) yield [`${field}: ${what}`, () => ({ [field]: list() })]
    } else {
      const isBounded = alternativesOf(fieldSchema).every(
        ({ type, maxLength, format }) => type !== 'string' || (maxLength !== undefined && format === undefined),
      )
      for (const [what, filling] of Object.entries(isBounded ? boundedFillings : fillings)) {
        const length = bodyBytes / Buffer.byteLength(JSON.stringify(filling).slice(1, -1))
        yield [`${field}: ${what}`, () => ({ [field]: repeated(filling, Math.floor(length) * filling.length) })]
      }
    }
  }
}

function* worstQueries(operation: Operation): Generator<[what: string, query: string]> {
  yield ['unknown parameters', Array.from({ length: 2_500 }, (_, at) => `p${at}`).join('&')]
  yield ['a parameter again and again', repeated('a&', queryCharacters)]
  for (const { name, in: place } of operation.parameters) {
    if (place !== 'query') continue
    yield [`${name} again and again`, repeated(`${name}=1&`, queryCharacters)]
    yield [`${name}: a list`, `${name}=${Array.from({ length: 2_500 }, (_, at) => `v${at}`).join(',')}`]
    for (const [what, filling] of Object.entries(queryFillings)) {
      const encoded = encodeURIComponent(filling)
      yield [`${name}: ${what}`, `${name}=${repeated(encoded, queryCharacters).slice(0, queryCharacters)}`]
    }
  }
}

/** The worst requests of an operation; `known` fills the fields and the path where they must name a record. */
export function* worstRequests(operation: Operation, known: Record<string, string>): Generator<WorstRequest> {
  const { id, method, template } = operation
  const path = fillPath(template, (name) => known[name] ?? 'x')
  const valid = operation.body === undefined ? undefined : (exampleOf(operation.body, known) as Record<string, unknown>)
  const bytesOf = (body: unknown): Buffer => Buffer.from(JSON.stringify(body))
  const validBody = valid && { rawBody: () => bytesOf(valid) }
  for (const [what, query] of worstQueries(operation)) {
    yield { what: `${id}, query, ${what}`, method, path: `${path}?${query}`, ...validBody }
  }
  if (template.includes('{')) {
    for (const [what, filling] of Object.entries(queryFillings)) {
      const text = repeated(filling, pathCharacters).slice(0, pathCharacters / 3)
      yield { what: `${id}, path, ${what}`, method, path: fillPath(template, () => text), ...validBody }
    }
  }
  if (!operation.body || !valid) return
  for (const [what, fields] of worstFields(operation.body)) {
    yield { what: `${id}, ${what}`, method, path, rawBody: () => bytesOf({ ...valid, ...fields() }) }
  }
  yield { what: `${id}, a list`, method, path, rawBody: () => bytesOf(lists.texts!()) }
}
