import { type Static, Type } from 'typebox'
import { Cursor, Limit, maxReferenceLength, nullable, Timestamp } from '../../../base/fields.js'

const fields = {
  id: Type.String({ examples: ['ses_4Bk1sPq9fWx2LrT7vZ0c'] }),
  keyId: Type.String({ description: 'The API key that the session acts as.', examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }),
  keyName: Type.String({ examples: ['admin'] }),
  userId: nullable(Type.String()),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
  address: nullable(Type.String({ description: 'Where it was opened from.', examples: ['203.0.113.7'] })),
  userAgent: nullable(Type.String({ description: 'The browser that opened it, as it describes itself.' })),
  current: Type.Boolean({ description: 'Whether this request was made with it.' }),
}

export const Session = Type.Object(fields, { $id: 'Session' })
export type Session = Static<typeof Session>

export const SessionId = Type.String({ examples: ['ses_4Bk1sPq9fWx2LrT7vZ0c'] })

export const SessionList = Type.Object(
  {
    keyId: Type.Optional(
      Type.String({ minLength: 1, maxLength: maxReferenceLength, description: 'Only sessions of this API key.' }),
    ),
    limit: Type.Optional(Limit(50, 100)),
    cursor: Type.Optional(Cursor),
  },
  { additionalProperties: false },
)
export type SessionList = Static<typeof SessionList>

/** An invitation may wait for someone who is away. */
export const linkSeconds = { min: 60, default: 600, max: 7 * 86_400 }

export const ConsoleLinkOptions = Type.Object(
  {
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: linkSeconds.min,
        maximum: linkSeconds.max,
        default: linkSeconds.default,
        description: 'How long the link can be used: up to 7 days.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'ConsoleLinkOptions', examples: [{ expiresInSeconds: 86_400 }] },
)
export type ConsoleLinkOptions = Static<typeof ConsoleLinkOptions>

export const ConsoleLink = Type.Object(
  {
    link: nullable(
      Type.String({
        description: 'Opens one session; null when an idempotent request is repeated.',
        examples: ['wl_link_7n9dgWibUvniyURyqh7n_9fXa2mQxT8vLk5RbN0cWz7JdPq1sYh3u'],
      }),
    ),
    path: nullable(
      Type.String({
        description: 'Where to open it in a browser, at the address of the service.',
        examples: ['/console/#link=wl_link_7n9dgWibUvniyURyqh7n_9fXa2mQxT8vLk5RbN0cWz7JdPq1sYh3u'],
      }),
    ),
    keyId: Type.String({ examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }),
    expiresAt: Timestamp,
  },
  { $id: 'ConsoleLink' },
)
export type ConsoleLink = Static<typeof ConsoleLink>
