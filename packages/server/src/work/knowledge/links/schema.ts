import { type Static, Type } from 'typebox'
import { Cursor, Limit, nullable, ProjectRefText } from '../../../base/fields.js'
import { Key } from '../fields.js'

export const LinkQuery = Type.Object(
  {
    key: Type.Optional(Key),
    task: Type.Optional(Type.String({ description: 'A task id, instead of a key.', examples: ['ACME-1'] })),
    projectId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: `${ProjectRefText} Default: the tenant-wide item, or else the item of the only project that has the key.`,
      }),
    ),
    direction: Type.Optional(
      Type.Enum(['out', 'in'], {
        description: '`out`: what the item links to. `in`: the items that link to it. Default: `out`; of a task `in`.',
      }),
    ),
    limit: Type.Optional(Limit(50, 100)),
    cursor: Type.Optional(Cursor),
  },
  { additionalProperties: false, examples: [{ task: 'ACME-1' }] },
)
export type LinkQuery = Static<typeof LinkQuery>

export const KnowledgeLink = Type.Object(
  {
    key: Type.Optional(Key),
    task: Type.Optional(Type.String({ examples: ['ACME-1'] })),
    projectId: nullable(Type.String()),
    title: Type.Optional(nullable(Type.String({ description: 'Of an item that links here.' }))),
    exists: Type.Optional(Type.Boolean({ description: 'Whether what the item links to is there.' })),
  },
  { $id: 'KnowledgeLink' },
)
export type KnowledgeLink = Static<typeof KnowledgeLink>
