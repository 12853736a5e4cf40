import { type Static, Type } from 'typebox'
import { ActorRefSchema, Cursor, Limit, nullable, Timestamp } from '../../base/fields.js'
import { interfaces } from '../../operations/call.js'
import { auditActions } from './actions.js'

export const AuditEntry = Type.Object(
  {
    id: Type.String({ examples: ['aud_4Bk1sPq9fWx2LrT7vZ0c'] }),
    at: Timestamp,
    action: Type.Enum([...auditActions]),
    actor: nullable(ActorRefSchema),
    address: nullable(
      Type.String({
        description:
          'Where it came from; of refusals over IPv6 the network (/64). Null for the command line and the service, and for refusals from more addresses than are kept apart.',
        examples: ['203.0.113.7'],
      }),
    ),
    requestId: nullable(Type.String()),
    via: Type.Enum([...interfaces]),
    subject: nullable(
      Type.String({ description: 'What was acted on, by its id.', examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }),
    ),
    details: Type.Object({}, { additionalProperties: true, description: 'What else there is to say of this action.' }),
    count: Type.Integer({
      description: 'Refusals of one kind from one address share an entry for an hour; this is how many they were.',
      examples: [1],
    }),
    lastAt: Timestamp,
  },
  { $id: 'AuditEntry' },
)
export type AuditEntry = Omit<Static<typeof AuditEntry>, 'details'> & { details: Record<string, unknown> }

const Moment = (description: string) =>
  Type.String({ maxLength: 40, description, examples: ['2026-01-31T09:00:00.000Z'] })

export const AuditList = Type.Object(
  {
    action: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Only this action, such as `key.created`, or all of a kind: `key.*`.',
        examples: ['key.*'],
      }),
    ),
    keyId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only what this key did or tried.' })),
    result: Type.Optional(
      Type.Enum(['done', 'refused'], { description: 'Only what was done, or only what was refused.' }),
    ),
    since: Type.Optional(Moment('Only entries from this time on.')),
    until: Type.Optional(Moment('Only entries from before this time.')),
    limit: Type.Optional(Limit(50, 100)),
    cursor: Type.Optional(Cursor),
  },
  { additionalProperties: false },
)
export type AuditList = Static<typeof AuditList>
