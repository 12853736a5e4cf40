import { type Static, Type } from 'typebox'
import { Cursor, Limit, maxReferenceLength, nullable, ProjectRefText, Timestamp } from '../../../base/fields.js'

/** No control character sorts before a space, which the store relies on. */
export const Resource = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  patternMessage: 'must not contain control characters',
  examples: ['web/src/auth/'],
})

export const Reservation = Type.Object(
  {
    resource: Resource,
    taskId: Type.String({ examples: ['ACME-12'] }),
    projectId: Type.String({ examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] }),
    title: Type.String({ examples: ['Fix the login redirect'] }),
    heldBy: Type.Object({
      keyId: Type.String({ examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }),
      name: Type.String({ examples: ['build agent'] }),
    }),
    worker: nullable(Type.String()),
    expiresAt: Timestamp,
  },
  { $id: 'Reservation', description: 'A resource that a claim reserves within a project.' },
)
export type Reservation = Static<typeof Reservation>

export const ReservationList = Type.Object(
  {
    projectId: Type.Optional(Type.String({ minLength: 1, maxLength: maxReferenceLength, description: ProjectRefText })),
    limit: Type.Optional(Limit(50, 100)),
    cursor: Type.Optional(Cursor),
  },
  { additionalProperties: false },
)
export type ReservationList = Static<typeof ReservationList>
