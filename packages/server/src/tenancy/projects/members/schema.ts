import { type Static, Type } from 'typebox'
import { projectRoles } from '../../../operations/access.js'

const Role = Type.Enum([...projectRoles], {
  description:
    'What the user may do in the project, in place of what the role in the tenant gives there: `member` reads and writes, `viewer` reads and comments.',
  examples: ['viewer'],
})

export const Member = Type.Object(
  {
    userId: Type.String({ examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'] }),
    name: Type.String({ examples: ['Ada'] }),
    role: Role,
  },
  { $id: 'Member', description: 'A user with a role in a project.' },
)
export type Member = Static<typeof Member>

export const MemberRole = Type.Object({ role: Role }, { additionalProperties: false })
export type MemberRole = Static<typeof MemberRole>
