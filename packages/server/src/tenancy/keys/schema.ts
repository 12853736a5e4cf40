import { type Static, Type } from 'typebox'
import { json, plain, time } from '../../base/columns.js'
import { maxReferenceLength, nameOf, nullable, Timestamp } from '../../base/fields.js'
import { defineRecord, field } from '../../base/record.js'
import { scopes } from '../../operations/actor.js'
import { PauseChange, PausedOrNull } from '../pauses/schema.js'
import { NewUser } from '../users/schema.js'

const maxKeyProjects = 100
const maxKeyAddresses = 50

const Scope = Type.Enum([...scopes], { description: 'A write scope includes reading; `admin` includes all.' })

export const keyRecord = defineRecord({
  id: field(Type.String({ examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }), {
    setBy: 'service on create',
    column: plain('id'),
  }),
  name: field(nameOf('build agent'), { setBy: 'caller', column: plain('name') }),
  prefix: field(
    Type.String({
      description:
        'The start of the secret, to recognise it by; empty for the key of a user who signs in, which has no secret and the scopes of the role of its user.',
      examples: ['wl_live_9fXa'],
    }),
    { setBy: 'service', column: plain('prefix') },
  ),
  scopes: field(
    Type.Array(Scope, { minItems: 1, uniqueItems: true, maxItems: scopes.length, examples: [['tasks:write']] }),
    { setBy: 'caller', column: json('scopes') },
  ),
  projectIds: field(
    nullable(
      Type.Array(Type.String({ maxLength: 64 }), {
        minItems: 1,
        maxItems: maxKeyProjects,
        uniqueItems: true,
        description: 'The projects the key is limited to, by id or key; null for all.',
      }),
    ),
    { setBy: 'caller', initial: null, column: json('project_ids') },
  ),
  userId: field(nullable(Type.String({ maxLength: maxReferenceLength, description: 'The user the key belongs to.' })), {
    setBy: 'caller',
    initial: null,
    column: plain('user_id'),
  }),
  expiresAt: field(
    nullable(Type.String({ format: 'date-time', maxLength: 64, description: 'When the key ends; null for never.' })),
    { setBy: 'caller', initial: null, column: time('expires_at') },
  ),
  allowedAddresses: field(
    nullable(
      Type.Array(Type.String({ minLength: 2, maxLength: 50 }), {
        minItems: 1,
        maxItems: maxKeyAddresses,
        uniqueItems: true,
        description: 'The addresses and ranges (CIDR) that the key may be used from; null for any.',
        examples: [['203.0.113.7', '10.0.0.0/8', '2001:db8::/32']],
      }),
    ),
    { setBy: 'caller', initial: null, column: json('allowed_addresses') },
  ),
  paused: field(PausedOrNull, {
    setBy: 'caller on change',
    input: PauseChange,
    initial: null,
    column: json('paused'),
  }),
  createdAt: field(Timestamp, { setBy: 'service on create', column: time('created_at') }),
  lastUsedAt: field(nullable(Timestamp), { setBy: 'elsewhere', initial: null, column: time('last_used_at') }),
})

export const ApiKey = Type.Object(keyRecord.answer, { $id: 'ApiKey' })
export type ApiKey = Static<typeof ApiKey>

export const ApiKeyWithSecret = Type.Object(
  {
    ...keyRecord.answer,
    key: nullable(
      Type.String({
        description: 'The secret, shown this once; null in the replay of an idempotent request.',
        examples: ['wl_live_9fXa2mQxT8vLk5RbN0cWz7JdPq1sYh3u0TnG4w'],
      }),
    ),
  },
  { $id: 'ApiKeyWithSecret' },
)

const NewKeyUser = Type.Object(
  { name: NewUser.properties.name, kind: NewUser.properties.kind },
  {
    additionalProperties: false,
    description:
      'A user to create with the key, which belongs to it: an agent, unless `kind` says otherwise. It becomes a member of the private projects that the key is limited to.',
  },
)

export const NewApiKey = Type.Object(
  { ...keyRecord.create, user: Type.Optional(NewKeyUser) },
  { additionalProperties: false },
)
export type NewApiKey = Static<typeof NewApiKey>

export const ApiKeyPatch = Type.Object(keyRecord.patch, { additionalProperties: false })
export type ApiKeyPatch = Static<typeof ApiKeyPatch>

export const KeyId = Type.String({ examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] })

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

export const LeakedKey = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The secret that leaked.',
      examples: ['wl_live_9fXa2mQxT8vLk5RbN0cWz7JdPq1sYh3u0TnG4w'],
    }),
  },
  { additionalProperties: false },
)
