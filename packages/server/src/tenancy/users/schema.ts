import { type Static, Type } from 'typebox'
import { plain, time } from '../../base/columns.js'
import { nameOf, nullable, Timestamp } from '../../base/fields.js'
import { handlePattern } from '../../base/handle.js'
import { defineRecord, field } from '../../base/record.js'
import { tenantRoles } from '../../operations/access.js'

export const userRecord = defineRecord({
  id: field(Type.String({ examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'] }), {
    setBy: 'service on create',
    column: plain('id'),
  }),
  name: field(nameOf('Ada'), { setBy: 'caller', column: plain('name') }),
  // No example, because each user has a different handle.
  handle: field(
    Type.String({
      pattern: handlePattern,
      patternMessage: 'must be 2 to 32 characters: a-z, 0-9 and hyphens',
      description: 'The user is mentioned by it, as `@ada`. Unique in the tenant; made from the name by default.',
    }),
    { setBy: 'caller', isOptional: true, column: plain('handle') },
  ),
  email: field(nullable(Type.String({ format: 'email', maxLength: 320, examples: ['ada@example.com'] })), {
    setBy: 'caller',
    initial: null,
    column: plain('email'),
  }),
  kind: field(Type.Enum(['human', 'agent'], { examples: ['agent'] }), {
    setBy: 'caller',
    initial: 'human',
    column: plain('kind'),
  }),
  role: field(
    Type.Enum([...tenantRoles], {
      description:
        'What the user may do in the tenant, with any key: `admin` everything, `member` read and write, `none` only what a role in a project gives.',
      examples: ['member'],
    }),
    { setBy: 'caller', initial: 'member', column: plain('role') },
  ),
  createdAt: field(Timestamp, { setBy: 'service on create', column: time('created_at') }),
  updatedAt: field(Timestamp, { setBy: 'service', column: time('updated_at') }),
})

export const User = Type.Object(userRecord.answer, {
  $id: 'User',
  description: 'A person or an agent that tasks can be assigned to.',
})
export type User = Static<typeof User>

export const NewUser = Type.Object(userRecord.create, { additionalProperties: false })
export type NewUser = Static<typeof NewUser>

export const UserPatch = Type.Object(userRecord.patch, { additionalProperties: false })
export type UserPatch = Static<typeof UserPatch>

export const UserId = Type.String({ examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'] })

export const Erase = Type.Boolean({
  description:
    'Erase the person: replace their name and email by "deleted user" in events, history, versions, webhook deliveries and the audit log, in the background. The audit entry `user.erased` tells when this is complete. A user who was deleted before can still be erased.',
})
