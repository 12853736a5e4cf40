import fc from 'fast-check'
import type { Operation } from 'worklore-testing/operations'
import { nasty, type Pick, picks, validValue, wrongValue } from './values.js'

/** What is done to a valid body to make it nearly valid. */
type Twist = { kind: 'none' } | { kind: 'drop' | 'set' | 'add'; at: number; name: string; value: unknown }

/** A request as it is made up; records are picked only when it is sent. */
export interface Call {
  operation: Operation
  id: Pick | string
  query: [name: string, value: unknown][]
  body: unknown
  twist: Twist
  ifMatch: number | undefined
  idempotencyKey: string | undefined
}

const twists: fc.Arbitrary<Twist> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Twist>({ kind: 'none' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('drop' as const, 'set' as const, 'add' as const),
      at: fc.nat(10),
      name: fc.oneof(fc.constantFrom('tenantId', 'id', '__proto__', 'titel', 'createdAt'), fc.string({ maxLength: 5 })),
      value: wrongValue,
    }),
  },
)

const queryOf = ({ parameters }: Operation): fc.Arbitrary<[string, unknown][]> => {
  const ofQuery = parameters.filter((each) => each.in === 'query')
  if (ofQuery.length === 0) return fc.constant([])
  const given = ofQuery.map(({ name, schema, required }) =>
    fc
      .tuple(
        fc.constant(name),
        fc.oneof({ weight: 12, arbitrary: validValue(schema, name) }, { weight: 1, arbitrary: nasty }),
        required ? fc.constant(true) : fc.nat(3).map((chance) => chance === 0),
      )
      .map(([key, value, isGiven]): [string, unknown][] => (isGiven ? [[key, value]] : [])),
  )
  const odd = fc.oneof(
    { weight: 20, arbitrary: fc.constant<[string, unknown][]>([]) },
    { weight: 1, arbitrary: fc.tuple(fc.string({ maxLength: 6 }), nasty).map((pair): [string, unknown][] => [pair]) },
  )
  return fc.tuple(...given, odd).map((parts) => parts.flat())
}

const callOf = (operation: Operation): fc.Arbitrary<Call> =>
  fc.record({
    operation: fc.constant(operation),
    id: fc.oneof({ weight: 9, arbitrary: picks }, { weight: 1, arbitrary: nasty }),
    query: queryOf(operation),
    body: operation.body ? validValue(operation.body) : fc.constant(undefined),
    twist: twists,
    ifMatch: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 8, nil: undefined }),
    idempotencyKey: fc.option(fc.constantFrom('k1', 'k2', 'k3'), { freq: 8, nil: undefined }),
  })

/** Requests for every operation; those that make something come more often, so that there is something to change. */
export const anyCall = (operations: readonly Operation[]): fc.Arbitrary<Call> =>
  fc.oneof(
    ...operations.map((operation) => ({
      weight: operation.method === 'POST' || operation.method === 'PUT' ? 4 : operation.method === 'PATCH' ? 3 : 2,
      arbitrary: callOf(operation),
    })),
  )

/** The body as it is sent. */
export const twisted = (body: unknown, twist: Twist): unknown => {
  if (twist.kind === 'none' || typeof body !== 'object' || body === null) return body
  const names = Object.keys(body)
  const chosen = names[twist.at % Math.max(1, names.length)]
  const copy: Record<string, unknown> = { ...body }
  if (twist.kind === 'add') Object.defineProperty(copy, twist.name, { value: twist.value, enumerable: true })
  else if (chosen !== undefined && twist.kind === 'drop') delete copy[chosen]
  else if (chosen !== undefined) copy[chosen] = twist.value
  return copy
}
