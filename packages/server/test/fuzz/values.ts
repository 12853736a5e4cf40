import fc from 'fast-check'
import type { Schema } from 'worklore-testing/operations'

/** Stands for a record that is looked up when the request is made: the n-th of those there are. */
export interface Pick {
  pick: number
}

const picks: fc.Arbitrary<Pick> = fc.record({ pick: fc.nat(50) })

/** Fields that name a record; most of the time they do, now and then they are any text. */
const namesRecord = new Set(['projectId', 'assigneeId', 'assignee', 'userId', 'projectIds'])

const nasty = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '__proto__',
  'constructor',
  'null',
  '%00',
  '../..',
  "'; drop table tasks; --",
  '{"$gt":""}',
  '\u202e\u0301\ufeff',
  '💥'.repeat(40),
  'a'.repeat(70_000),
  'none',
  'search',
  '9'.repeat(40),
  '-0',
  '1e999',
)

const wordy = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' }) },
  { weight: 3, arbitrary: fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 10, unit: 'binary' }) },
)

const moments = fc.oneof(
  fc
    .date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-01-31',
    '2024-02-29',
    '2026-06-30T23:59:60Z',
    '2026-01-31T10:00:00+02:00',
    '0000-01-01T00:00:00+23:59',
  ),
)

const texts = (schema: Schema): fc.Arbitrary<string> => {
  const { minLength = 0, maxLength = 200 } = schema
  if (schema.format === 'date-time') return moments
  if (schema.format === 'email') return fc.constantFrom('ada@example.com', 'a+b@example.org')
  if (schema.pattern?.includes('A-Z')) return fc.stringMatching(/^[A-Z][A-Z0-9]{1,5}$/)
  return wordy.map((text) => text.slice(0, maxLength).padEnd(minLength, 'a'))
}

const oneOfWeighted = <T>(usual: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: seldom })

/** Values that the schema takes. */
export const validValue = (schema: Schema, name = ''): fc.Arbitrary<unknown> => {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => validValue(each, name)))
  if (schema.type === 'string' && namesRecord.has(name)) return oneOfWeighted<unknown>(picks, texts(schema))
  if (schema.type === 'string' && /date|before|after/i.test(name)) return oneOfWeighted<unknown>(moments, texts(schema))
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 1_000) })
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1, noNaN: true })
    case 'array':
      return fc.array(validValue(schema.items!, name), { minLength: schema.minItems ?? 0, maxLength: 5 })
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(([field, each]) => [field, validValue(each, field)])
      return fc.record(Object.fromEntries(fields), { requiredKeys: (schema.required ?? []) as never[] })
    }
    default:
      return texts(schema)
  }
}

/** Values that hardly any schema takes. */
export const wrongValue: fc.Arbitrary<unknown> = fc.oneof(
  nasty,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e21, [], {}, [[]], [null], { toString: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
)

export { nasty, picks }
