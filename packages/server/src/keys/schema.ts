import { type Static, Type } from 'typebox'
import { scopes } from '../actor.js'
import { nameOf, nullable, Timestamp } from '../fields.js'

const Name = nameOf('build agent')
const Scope = Type.Enum([...scopes], { description: 'A write scope includes reading; `admin` includes all.' })
const Scopes = Type.Array(Scope, {
  minItems: 1,
  uniqueItems: true,
  maxItems: scopes.length,
  examples: [['tasks:write']],
})
const ProjectIds = nullable(
  Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'The projects the key is limited to, by id or key; null for all.',
  }),
)
const UserId = nullable(Type.String({ description: 'The user the key belongs to.' }))
const ExpiresAt = nullable(Type.String({ format: 'date-time', description: 'When the key ends; null for never.' }))

const fields = {
  id: Type.String({ examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }),
  name: Name,
  prefix: Type.String({ description: 'The start of the secret, to recognise it by.', examples: ['wl_live_9fXa'] }),
  scopes: Scopes,
  projectIds: ProjectIds,
  userId: UserId,
  expiresAt: ExpiresAt,
  createdAt: Timestamp,
  lastUsedAt: nullable(Timestamp),
}

export const ApiKey = Type.Object(fields, { $id: 'ApiKey' })
export type ApiKey = Static<typeof ApiKey>

export const ApiKeyWithSecret = Type.Object(
  {
    ...fields,
    key: nullable(
      Type.String({
        description: 'The secret, shown this once; null in the replay of an idempotent request.',
        examples: ['wl_live_9fXa2mQxT8vLk5RbN0cWz7JdPq1sYh3u0TnG4w'],
      }),
    ),
  },
  { $id: 'ApiKeyWithSecret' },
)

export const NewApiKey = Type.Object(
  {
    name: Name,
    scopes: Scopes,
    projectIds: Type.Optional(ProjectIds),
    userId: Type.Optional(UserId),
    expiresAt: Type.Optional(ExpiresAt),
  },
  { additionalProperties: false },
)
export type NewApiKey = Static<typeof NewApiKey>

export const ApiKeyPatch = Type.Partial(NewApiKey, { additionalProperties: false })
export type ApiKeyPatch = Static<typeof ApiKeyPatch>

export const KeyParams = Type.Object({ keyId: Type.String({ examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }) })

export const Rotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 0,
        description: 'How long the old secret stays good beside the new one, up to seven days.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type Rotation = Static<typeof Rotation>
