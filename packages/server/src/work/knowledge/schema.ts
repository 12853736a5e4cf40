import { type Static, Type } from 'typebox'
import { Cursor, Limit, nullable, ProjectRefText, Timestamp } from '../../base/fields.js'
import { Stale } from '../fields/stale-marks.js'
import { Explain, Explanation, MinScore, Passages, Score, WithoutContent } from '../search/schema.js'
import { itemRecord, Key, type KnowledgeMeta, trusts } from './fields.js'

export const maxContentBytes = 1_048_576

const Content = Type.String({
  description: 'Up to 1 MiB of UTF-8, returned byte for byte.',
  examples: ['# Setup on Linux\n\nInstall Node 20, then run npm start.'],
})
export const states = ['current', 'expired', 'superseded', 'retracted'] as const
export type State = (typeof states)[number]

const Reason = Type.String({
  minLength: 1,
  maxLength: 2_000,
  pattern: '\\S',
  patternMessage: 'must not be blank',
  examples: ['The installer was replaced in March.'],
})

const StateField = Type.Enum([...states], {
  description: 'The first that holds of `retracted`, `superseded`, `expired` and `current`.',
})
const {
  id: ItemId,
  projectId: ProjectId,
  title: Title,
  tags: Tags,
  trust: TrustField,
  version: Version,
} = itemRecord.answer

const derivedFields = { state: StateField, stale: Stale }

export const KnowledgeItem = Type.Object(
  { ...itemRecord.answer, ...derivedFields, content: Content },
  { $id: 'KnowledgeItem' },
)
export type KnowledgeItem = Static<typeof KnowledgeItem>

/** An item as it was: without what changes without a new version. */
export type ItemVersion = KnowledgeMeta & { content: string }

export const ListedItem = Type.Object(
  { ...itemRecord.answer, ...derivedFields, content: Type.Optional(Content) },
  { $id: 'ListedKnowledgeItem', description: 'Without `content` if `fields=key` was requested.' },
)

const Passage = Type.Object(
  {
    heading: nullable(
      Type.String({
        description: 'The headings that it stands below, the outermost first.',
        examples: ['Setup › Linux › Proxy'],
      }),
    ),
    text: Type.String(),
    start: Type.Integer({ description: 'Where it begins in the content, in UTF-16 code units.' }),
    end: Type.Integer(),
    line: Type.Integer({ description: 'The line that it begins with, from 1.' }),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Compares the passages of one item.' }),
  },
  { $id: 'Passage', description: 'A section of an item, or some paragraphs of a long one.' },
)

export const knowledgeHitFields = {
  id: ItemId,
  key: Key,
  title: Title,
  tags: Tags,
  content: Type.Optional(Content),
  score: Score,
  foundBy: Type.Optional(
    Type.String({ description: 'The key of the item that matched better and that this item supersedes.' }),
  ),
  projectId: ProjectId,
  version: Version,
  updatedAt: Timestamp,
  state: StateField,
  trust: TrustField,
  snippet: Type.String({
    description: 'The best matching passage, HTML-escaped, with matches in `<mark>`.',
    examples: ['<mark>Setup</mark> on <mark>Linux</mark>'],
  }),
  passages: Type.Optional(Type.Array(Passage, { description: 'The passages that answer best, best first.' })),
  explain: Type.Optional(Explanation),
}

export const KnowledgeHit = Type.Object(knowledgeHitFields, { $id: 'KnowledgeHit' })
export type KnowledgeHit = Static<typeof KnowledgeHit>

export const KnowledgePatch = Type.Object(
  { ...itemRecord.patch, content: Type.Optional(Content) },
  { additionalProperties: false, examples: [{ tags: ['setup'], validUntil: '2027-01-31T00:00:00.000Z' }] },
)
export type KnowledgePatch = Static<typeof KnowledgePatch>

export const KnowledgeWrite = Type.Object(
  {
    content: Content,
    ...itemRecord.create,
    checkDuplicates: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Answer `similar`: up to 3 current items of the same place that may say the same. Counts as a search, too. Not in a batch.',
      }),
    ),
    projectId: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: `${ProjectRefText} Null: tenant-wide. Absent: the item that a GET without projectId returns, or a new tenant-wide one if nobody has the key.`,
        }),
      ),
    ),
  },
  { additionalProperties: false },
)
export type KnowledgeWrite = Static<typeof KnowledgeWrite>

/** The project of an existing item, as request bodies name it. */
const ItemProject = Type.Optional(
  nullable(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: `${ProjectRefText} Null: the tenant-wide item. Absent: the tenant-wide item, or else the item of the only project that has the key.`,
    }),
  ),
)

export const KnowledgeMove = Type.Object(
  {
    from: Key,
    to: Type.String({
      description: 'The new key; with `recursive`, the new prefix of the keys.',
      examples: ['guides/linux'],
    }),
    projectId: ItemProject,
    toProjectId: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: `${ProjectRefText} Null: tenant-wide. Default: unchanged.`,
        }),
      ),
    ),
    recursive: Type.Optional(
      Type.Boolean({ default: false, description: 'Also move everything below the key, up to 1,000 items.' }),
    ),
  },
  { additionalProperties: false, examples: [{ from: 'guides/setup/linux', to: 'guides/linux' }] },
)
export type KnowledgeMove = Static<typeof KnowledgeMove>

export const MovedItem = Type.Object(
  { id: ItemId, from: Type.String(), key: Key, projectId: ProjectId, version: Version },
  { $id: 'MovedKnowledgeItem' },
)
export type MovedItem = Static<typeof MovedItem>

const ProjectRef = Type.String({ minLength: 1, maxLength: 64, description: ProjectRefText })
const Tag = Type.String({ minLength: 1, maxLength: 64, description: 'Only items with this tag.' })
const Prefix = Type.String({ description: 'Only keys that start with this text.' })

/** One item: by its key, and the project whose it is. */
export const ItemReference = Type.Object(
  {
    key: Key,
    projectId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: `${ProjectRefText} Default: the tenant-wide item, or else the item of the only project that has the key.`,
      }),
    ),
  },
  { additionalProperties: false },
)

const { foundBy, snippet } = knowledgeHitFields

export const SimilarItem = Type.Object(
  { key: Key, projectId: ProjectId, score: Score, snippet, foundBy },
  { $id: 'SimilarKnowledgeItem' },
)
export type SimilarItem = Static<typeof SimilarItem>

/** An item of the same namespace that may be a duplicate. */
export const DuplicateItem = Type.Object(
  { key: Key, score: Score, snippet, foundBy },
  { $id: 'DuplicateKnowledgeItem' },
)
export type DuplicateItem = Static<typeof DuplicateItem>

/** The fields of a request body that identify one existing item. */
export const itemReferenceFields = { key: Key, projectId: ItemProject }

export const Verdict = Type.Object(
  {
    ...itemReferenceFields,
    version: Type.Integer({ minimum: 1, description: 'The newest version, which was read.' }),
    trust: TrustField,
    note: Type.Optional(nullable(Type.String({ maxLength: 2_000 }))),
  },
  {
    additionalProperties: false,
    examples: [{ key: 'guides/setup/linux', version: 2, trust: 'disputed', note: 'Fails on Debian 13.' }],
  },
)
export type Verdict = Static<typeof Verdict>

export const Retraction = Type.Object(
  { ...itemReferenceFields, reason: nullable(Reason) },
  {
    additionalProperties: false,
    description: '`reason: null` takes the retraction back.',
    examples: [{ key: 'guides/setup/linux', reason: 'The installer was replaced in March.' }],
  },
)
export type Retraction = Static<typeof Retraction>

export const ItemRead = Type.Object(
  {
    ...ItemReference.properties,
    similar: Type.Optional(
      Type.Boolean({ default: false, description: 'Add notes on the same subject. Counts as a search, too.' }),
    ),
    start: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Only the content from here on, in UTF-16 code units, as in `passages`.',
      }),
    ),
    end: Type.Optional(Type.Integer({ minimum: 0, description: 'Only the content before this.' })),
  },
  { additionalProperties: false },
)

export const KnowledgeList = Type.Object(
  {
    projectId: Type.Optional(ProjectRef),
    prefix: Type.Optional(Prefix),
    scope: Type.Optional(
      Type.Enum(['all', 'tenant', 'project'], { default: 'all', description: 'Cannot be combined with `projectId`.' }),
    ),
    limit: Type.Optional(Limit(100, 500)),
    cursor: Type.Optional(Cursor),
    tag: Type.Optional(Tag),
    trust: Type.Optional(Type.Enum([...trusts])),
    state: Type.Optional(Type.Enum([...states])),
    stale: Type.Optional(Type.Boolean({ description: 'Whether an item relied on something that no longer holds.' })),
    fields: WithoutContent,
  },
  { additionalProperties: false },
)
export type KnowledgeList = Static<typeof KnowledgeList>

export const KnowledgeSearch = Type.Object(
  {
    q: Type.String({
      description: 'Text to search for in keys, titles, tags and contents.',
      examples: ['install linux'],
    }),
    projectId: Type.Optional(ProjectRef),
    includeTenant: Type.Optional(
      Type.Boolean({ default: false, description: 'With `projectId`: include tenant-wide items.' }),
    ),
    prefix: Type.Optional(
      Type.String({ description: 'Only keys that start with this text. Of a superseded item its own key counts.' }),
    ),
    tag: Type.Optional(Tag),
    trust: Type.Optional(Type.Enum([...trusts])),
    state: Type.Optional(
      Type.Enum([...states, 'all'], {
        default: 'current',
        description:
          'By default items that were superseded are answered by the item at the end of their chain, and expired and retracted ones are left out. Another state finds the items in it, `all` every item as it is.',
      }),
    ),
    limit: Type.Optional(Limit(10, 100)),
    minScore: MinScore(0),
    passages: Passages,
    fields: WithoutContent,
    explain: Explain,
  },
  { additionalProperties: false },
)
export type KnowledgeSearch = Static<typeof KnowledgeSearch>
