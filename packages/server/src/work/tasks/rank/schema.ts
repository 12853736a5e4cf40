import { type Static, Type } from 'typebox'

const Neighbour = Type.Optional(
  Type.String({ minLength: 1, maxLength: 64, description: 'A task of the same project.' }),
)

export const TaskRank = Type.Object(
  {
    before: Neighbour,
    after: Neighbour,
    to: Type.Optional(Type.Enum(['top', 'bottom'], { description: 'Before or after all tasks of the project.' })),
  },
  {
    additionalProperties: false,
    description: 'Exactly one of `before`, `after` and `to`.',
    examples: [{ to: 'top' }],
  },
)
export type TaskRank = Static<typeof TaskRank>
