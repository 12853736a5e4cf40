import { type Static, Type } from 'typebox'
import { nameOf, nullable, Timestamp } from '../../base/fields.js'

const Name = nameOf('Ada')
const Email = nullable(Type.String({ format: 'email', maxLength: 320, examples: ['ada@example.com'] }))
const Kind = Type.Enum(['human', 'agent'], { examples: ['agent'] })

export const User = Type.Object(
  {
    id: Type.String({ examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'] }),
    name: Name,
    email: Email,
    kind: Kind,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'User', description: 'A person or an agent that tasks can be assigned to.' },
)
export type User = Static<typeof User>

export const NewUser = Type.Object(
  { name: Name, email: Type.Optional(Email), kind: Type.Optional(Kind) },
  { additionalProperties: false },
)
export type NewUser = Static<typeof NewUser>

export const UserPatch = Type.Object(
  { name: Type.Optional(Name), email: Type.Optional(Email), kind: Type.Optional(Kind) },
  { additionalProperties: false },
)
export type UserPatch = Static<typeof UserPatch>

export const UserId = Type.String({ examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'] })

export const Erase = Type.Boolean({
  description:
    'Erase the person: replace their name and email by "deleted user" in events, history, versions, webhook deliveries and the audit log, in the background. The audit entry `user.erased` tells when this is complete. A user who was deleted before can still be erased.',
})
