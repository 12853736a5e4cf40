import { type Static, Type } from 'typebox'
import { maxReferenceLength, ProjectRefText } from '../../../base/fields.js'

export const TaskMove = Type.Object(
  {
    projectId: Type.String({
      minLength: 1,
      maxLength: maxReferenceLength,
      description: ProjectRefText,
      examples: ['ACME'],
    }),
  },
  { additionalProperties: false },
)
export type TaskMove = Static<typeof TaskMove>
