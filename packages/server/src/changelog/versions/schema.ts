import { type Static, Type } from 'typebox'

export const RecordVersion = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 9_007_199_254_740_991, description: 'Return this version of the record.' }),
)

/** What a restored task or item is without. */
export const SkippedLink = Type.Object(
  {
    task: Type.Optional(Type.String({ description: 'The task that lacks the value now.', examples: ['ACME-12'] })),
    knowledge: Type.Optional(
      Type.String({ description: 'The key of the item that lacks it now.', examples: ['guides/setup/linux'] }),
    ),
    field: Type.Enum(['projectId', 'blockedBy', 'parentId', 'assignee', 'externalId', 'supersedes', 'resources']),
    value: Type.String({ description: 'What was left out.', examples: ['ACME-3'] }),
    reason: Type.Enum(['not found', 'cycle', 'too many', 'in use']),
  },
  { $id: 'SkippedLink' },
)
export type SkippedLink = Static<typeof SkippedLink>
