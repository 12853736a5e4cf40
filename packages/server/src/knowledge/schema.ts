import { type Static, Type } from 'typebox'
import { ActorRefSchema, Cursor, Limit, nullable, ProjectRefText, Timestamp, Version } from '../fields.js'
import { Explain, Explanation } from '../search/schema.js'

export const maxContentBytes = 1_048_576
export const maxKeyBytes = 512

const Key = Type.String({
  description: '1 to 512 bytes of UTF-8. Slashes divide it into segments; none is empty, `.` or `..`.',
  examples: ['guides/setup/linux'],
})
const Content = Type.String({
  description: 'Up to 1 MiB of UTF-8, returned byte for byte.',
  examples: ['# Setup on Linux\n\nInstall Node 20, then run npm start.'],
})
const ProjectId = nullable(
  Type.String({ description: 'Null where the item is tenant-wide.', examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] }),
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

export const ListedItem = Type.Object(
  { ...metaFields, content: Type.Optional(Content) },
  { $id: 'ListedKnowledgeItem', description: 'Without `content` where the list was asked for `fields=key`.' },
)

export const KnowledgeHit = Type.Object(
  {
    key: Key,
    content: Content,
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Higher is a closer match.' }),
    projectId: ProjectId,
    updatedAt: Timestamp,
    snippet: Type.String({
      description: 'The best passage, HTML-escaped, with `<mark>` around what matched.',
      examples: ['<mark>Setup</mark> on <mark>Linux</mark>'],
    }),
    explain: Type.Optional(Explanation),
  },
  { $id: 'KnowledgeHit' },
)

export const KnowledgeWrite = Type.Object(
  {
    content: Content,
    projectId: Type.Optional(
      nullable(
        Type.String({ minLength: 1, maxLength: 64, description: `${ProjectRefText} Null or absent: tenant-wide.` }),
      ),
    ),
  },
  { additionalProperties: false },
)
export type KnowledgeWrite = Static<typeof KnowledgeWrite>

const ProjectRef = Type.String({ minLength: 1, maxLength: 64, description: ProjectRefText })
const Prefix = Type.String({ description: 'Only keys that begin with this text, taken literally.' })

export const KnowledgeParams = Type.Object({ key: Key })

export const ItemQuery = Type.Object(
  {
    projectId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: `${ProjectRefText} Without it the tenant-wide item is meant, or else the only project's.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type ItemQuery = Static<typeof ItemQuery>

export const KnowledgeListQuery = Type.Object(
  {
    projectId: Type.Optional(ProjectRef),
    prefix: Type.Optional(Prefix),
    scope: Type.Optional(
      Type.Enum(['all', 'tenant', 'project'], { default: 'all', description: 'Not together with `projectId`.' }),
    ),
    limit: Type.Optional(Limit(100, 500)),
    cursor: Type.Optional(Cursor),
    fields: Type.Optional(Type.Enum(['key'], { description: '`key` leaves the content out.' })),
  },
  { additionalProperties: false },
)
export type KnowledgeListQuery = Static<typeof KnowledgeListQuery>

export const KnowledgeSearchQuery = Type.Object(
  {
    q: Type.String({ description: 'Words to look for in keys and contents.', examples: ['install linux'] }),
    projectId: Type.Optional(ProjectRef),
    includeTenant: Type.Optional(
      Type.Boolean({ default: false, description: 'With `projectId`: tenant-wide items too.' }),
    ),
    prefix: Type.Optional(Prefix),
    limit: Type.Optional(Limit(10, 100)),
    minScore: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    explain: Explain,
  },
  { additionalProperties: false },
)
export type KnowledgeSearchQuery = Static<typeof KnowledgeSearchQuery>
