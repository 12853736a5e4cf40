import { type Static, Type } from 'typebox'
import { emptyForNull, plain, time } from '../../base/columns.js'
import { ActorRefSchema, nullable, Timestamp, Version } from '../../base/fields.js'
import { defineRecord, field, type Report } from '../../base/record.js'
import { Metadata } from '../fields/metadata.js'
import { readLabels, readTime, readTitle } from '../fields/readers.js'
import { keyProblem, maxKeyBytes } from './key.js'

export const Key = Type.String({
  description: `1 to ${maxKeyBytes} bytes of UTF-8. Slashes separate segments, which must not be empty, \`.\` or \`..\`.`,
  examples: ['guides/setup/linux'],
})

export const trusts = ['unreviewed', 'verified', 'disputed'] as const
export type Trust = (typeof trusts)[number]

const maxTitle = 200
const maxSource = 2_000
export const maxSuperseded = 20

const Tags = Type.Array(
  Type.String({ minLength: 1, maxLength: 64, pattern: '^[^,]*$', patternMessage: 'must not contain a comma' }),
  {
    maxItems: 50,
    description: 'Up to 50 tags of 1 to 64 characters, without commas. Order is kept; duplicates are dropped.',
    examples: [['setup']],
  },
)
const Supersedes = Type.Array(Key, {
  maxItems: maxSuperseded,
  description: 'Keys of items in the same place that this item replaces.',
  examples: [[]],
})

const readSuperseded = (keys: string[] | null, report: Report): string[] => {
  for (const [at, key] of (keys ?? []).entries()) {
    const problem = keyProblem(key)
    if (problem !== undefined) report(problem, at)
  }
  return [...new Set(keys)]
}

/** Describes all fields of an item except its content. */
export const itemRecord = defineRecord({
  id: field(
    Type.String({
      description: 'Identifies the item for life; its key and project can change.',
      examples: ['kno_0UXk5cZ000pWk2NsX9dQ'],
    }),
    { setBy: 'service on create', column: plain('id') },
  ),
  key: field(Key, { setBy: 'service on create', column: plain('key') }),
  projectId: field(
    nullable(Type.String({ description: 'Null if the item is tenant-wide.', examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] })),
    { setBy: 'service on create', column: emptyForNull('project_id') },
  ),
  version: field(Version, { setBy: 'service', column: plain('version') }),
  createdAt: field(Timestamp, { setBy: 'service on create', column: time('created_at') }),
  updatedAt: field(Timestamp, { setBy: 'service', column: time('updated_at') }),
  createdBy: field(ActorRefSchema, { setBy: 'service on create', column: null }),
  updatedBy: field(ActorRefSchema, { setBy: 'service', column: null }),
  title: field(nullable(Type.String({ minLength: 1, maxLength: 10 * maxTitle, examples: ['Setup on Linux'] })), {
    setBy: 'caller',
    read: readTitle(maxTitle),
    initial: null,
    column: null,
  }),
  tags: field(Tags, {
    setBy: 'caller',
    input: nullable(Tags),
    read: (tags: string[] | null, report) => readLabels(tags ?? [], report),
    initial: [],
    column: null,
  }),
  metadata: field(Metadata, { setBy: 'caller', input: nullable(Metadata), initial: {}, column: null }),
  source: field(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: maxSource,
        description: 'Where it comes from.',
        examples: ['https://nodejs.org/en/download'],
      }),
    ),
    { setBy: 'caller', initial: null, column: null },
  ),
  validUntil: field(nullable(Timestamp), {
    setBy: 'caller',
    input: nullable(
      Type.String({
        description: 'From this time on the item is `expired` and search leaves it out.',
        examples: ['2027-01-31T00:00:00.000Z'],
      }),
    ),
    read: readTime,
    initial: null,
    column: time('valid_until'),
  }),
  trust: field(Type.Enum([...trusts], { description: 'Set by verdicts; new content is `unreviewed`.' }), {
    setBy: 'service',
    initial: 'unreviewed',
    column: plain('trust'),
  }),
  verdict: field(
    nullable(
      Type.Object(
        {
          by: ActorRefSchema,
          at: Timestamp,
          version: Type.Integer({ minimum: 1, description: 'The version that was judged.' }),
          note: nullable(Type.String()),
        },
        { description: 'Who verified or disputed the content.' },
      ),
    ),
    { setBy: 'service', initial: null, column: null },
  ),
  retraction: field(nullable(Type.Object({ reason: Type.String(), by: ActorRefSchema, at: Timestamp })), {
    setBy: 'service',
    initial: null,
    column: null,
  }),
  // The stored document ends before `supersedes`, so fields that are stored in it must come first.
  supersedes: field(Supersedes, {
    setBy: 'caller',
    input: nullable(Supersedes),
    read: readSuperseded,
    initial: [],
    column: null,
  }),
  supersededBy: field(nullable(Type.String({ description: 'The key of the item that replaces it.' })), {
    setBy: 'service',
    initial: null,
    column: null,
  }),
})

export const KnowledgeMeta = Type.Object(itemRecord.answer)
export type KnowledgeMeta = Static<typeof KnowledgeMeta>
