import { type Static, Type } from 'typebox'
import { ActorRefSchema, Cursor, Limit, nullable, ProjectRefText, Timestamp, Version } from '../../base/fields.js'
import { Explain, Explanation, MinScore, Score } from '../search/schema.js'

export const maxContentBytes = 1_048_576
export const maxKeyBytes = 512

export const Key = Type.String({
  description: '1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`.',
  examples: ['guides/setup/linux'],
})
const Content = Type.String({
  description: 'Up to 1 MiB of UTF-8, returned byte for byte.',
  examples: ['# Setup on Linux\n\nInstall Node 20, then run npm start.'],
})
const ProjectId = nullable(
  Type.String({ description: 'Null if the item is tenant-wide.', examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] }),
)

const metaFields = {
  key: Key,
  projectId: ProjectId,
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: ActorRefSchema,
  updatedBy: ActorRefSchema,
}

export const KnowledgeMeta = Type.Object(metaFields, { $id: 'KnowledgeMeta' })
export type KnowledgeMeta = Static<typeof KnowledgeMeta>

export const KnowledgeItem = Type.Object({ ...metaFields, content: Content }, { $id: 'KnowledgeItem' })
export type KnowledgeItem = Static<typeof KnowledgeItem>

export const ListedItem = Type.Object(
  { ...metaFields, content: Type.Optional(Content) },
  { $id: 'ListedKnowledgeItem', description: 'Without `content` if `fields=key` was requested.' },
)

export const knowledgeHitFields = {
  key: Key,
  content: Content,
  score: Score,
  projectId: ProjectId,
  updatedAt: Timestamp,
  snippet: Type.String({
    description: 'The best matching passage, HTML-escaped, with matches in `<mark>`.',
    examples: ['<mark>Setup</mark> on <mark>Linux</mark>'],
  }),
  explain: Type.Optional(Explanation),
}

export const KnowledgeHit = Type.Object(knowledgeHitFields, { $id: 'KnowledgeHit' })
export type KnowledgeHit = Static<typeof KnowledgeHit>

export const KnowledgeWrite = Type.Object(
  {
    content: Content,
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

export const KnowledgeMove = Type.Object(
  {
    from: Key,
    to: Type.String({
      description: 'The new key; with `recursive`, the new prefix of the keys.',
      examples: ['guides/linux'],
    }),
    projectId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: `${ProjectRefText} Default: the tenant-wide item, or else the item of the only project that has the key.`,
      }),
    ),
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
  { from: Type.String(), key: Key, projectId: ProjectId, version: Version },
  { $id: 'MovedKnowledgeItem' },
)
export type MovedItem = Static<typeof MovedItem>

const ProjectRef = Type.String({ minLength: 1, maxLength: 64, description: ProjectRefText })
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

/** A note on the same subject as another. */
export const SimilarItem = Type.Object(
  { key: Key, projectId: ProjectId, score: Score, snippet: knowledgeHitFields.snippet },
  { $id: 'SimilarKnowledgeItem' },
)
export type SimilarItem = Static<typeof SimilarItem>

export const ItemRead = Type.Object(
  {
    ...ItemReference.properties,
    similar: Type.Optional(
      Type.Boolean({ default: false, description: 'Add notes on the same subject. Counts as a search, too.' }),
    ),
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
    fields: Type.Optional(Type.Enum(['key'], { description: '`key` omits the content.' })),
  },
  { additionalProperties: false },
)
export type KnowledgeList = Static<typeof KnowledgeList>

export const KnowledgeSearch = Type.Object(
  {
    q: Type.String({ description: 'Text to search for in keys and contents.', examples: ['install linux'] }),
    projectId: Type.Optional(ProjectRef),
    includeTenant: Type.Optional(
      Type.Boolean({ default: false, description: 'With `projectId`: include tenant-wide items.' }),
    ),
    prefix: Type.Optional(Prefix),
    limit: Type.Optional(Limit(10, 100)),
    minScore: MinScore(0),
    explain: Explain,
  },
  { additionalProperties: false },
)
export type KnowledgeSearch = Static<typeof KnowledgeSearch>
