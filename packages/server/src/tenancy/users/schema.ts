import { type Static, Type } from 'typebox'
import { nameOf, nullable, Timestamp } from '../../base/fields.js'
import { handlePattern } from '../../base/handle.js'
import { tenantRoles } from '../../operations/access.js'

const Name = nameOf('Ada')
const Email = nullable(Type.String({ format: 'email', maxLength: 320, examples: ['ada@example.com'] }))
/** Without an example: each user has another. */
const Handle = Type.String({
  pattern: handlePattern,
  patternMessage: 'must be 2 to 32 characters: a-z, 0-9 and hyphens',
  description: 'The user is mentioned by it, as `@ada`. Unique in the tenant; made from the name by default.',
})
const Kind = Type.Enum(['human', 'agent'], { examples: ['agent'] })
const Role = Type.Enum([...tenantRoles], {
  description:
    'What the user may do in the tenant, with any key: `admin` everything, `member` read and write, `none` only what a role in a project gives.',
  examples: ['member'],
})

export const User = Type.Object(
  {
    id: Type.String({ examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'] }),
    name: Name,
    handle: Handle,
    email: Email,
    kind: Kind,
    role: Role,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'User', description: 'A person or an agent that tasks can be assigned to.' },
)
export type User = Static<typeof User>

export const NewUser = Type.Object(
  {
    name: Name,
    handle: Type.Optional(Handle),
    email: Type.Optional(Email),
    kind: Type.Optional(Kind),
    role: Type.Optional(Role),
  },
  { additionalProperties: false },
)
export type NewUser = Static<typeof NewUser>

export const UserPatch = Type.Object(
  {
    name: Type.Optional(Name),
    handle: Type.Optional(Handle),
    email: Type.Optional(Email),
    kind: Type.Optional(Kind),
    role: Type.Optional(Role),
  },
  { additionalProperties: false },
)
export type UserPatch = Static<typeof UserPatch>

export const UserId = Type.String({ examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'] })

export const Erase = Type.Boolean({
  description:
    'Erase the person: replace their name and email by "deleted user" in events, history, versions, webhook deliveries and the audit log, in the background. The audit entry `user.erased` tells when this is complete. A user who was deleted before can still be erased.',
})
