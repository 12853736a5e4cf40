import { type Static, Type } from 'typebox'
import {
  ActorRefSchema,
  Cursor,
  Limit,
  maxReferenceLength,
  nullable,
  ProjectRefText,
  Timestamp,
} from '../../base/fields.js'
import { recordEventTypes } from '../../changelog/versions/version.js'
import { interfaces } from '../../operations/call.js'

/** What a history entry is about. */
export const subjectFields = {
  task: Type.Optional(
    Type.String({ description: 'The task, or the task of the comment or question.', examples: ['ACME-12'] }),
  ),
  comment: Type.Optional(Type.String({ examples: ['cmt_6pWk2NsX9dQf0TzRb4Lm'] })),
  question: Type.Optional(Type.String({ examples: ['qst_0UXk5cZ000pWk2NsX9dQ'] })),
  knowledge: Type.Optional(Type.String({ description: 'Key of the knowledge item.', examples: ['guides/setup'] })),
  knowledgeId: Type.Optional(
    Type.String({ description: 'Id of the knowledge item.', examples: ['kno_0UXk5cZ000pWk2NsX9dQ'] }),
  ),
  project: Type.Optional(Type.String({ examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] })),
  projectId: nullable(Type.String({ description: 'Null for tenant-wide knowledge.' })),
}

const FieldChange = Type.Union([
  Type.Object({ from: Type.Unknown(), to: Type.Unknown() }),
  Type.Object({
    diff: Type.String({ description: 'Unified diff of a text longer than 200 characters.' }),
    truncated: Type.Optional(Type.Literal(true, { description: 'The diff is longer; use `full=true`.' })),
  }),
])

export const FieldChanges = (description: string) => Type.Record(Type.String(), FieldChange, { description })

export const HistoryEntry = Type.Object(
  {
    id: Type.String({
      description: 'The id of the event. Records that were deleted with their project share it.',
      examples: ['evt_0pTq8JbXy3LmR5vKc2Za'],
    }),
    sequence: Type.Integer({ minimum: 1 }),
    type: Type.Enum([...recordEventTypes]),
    at: Timestamp,
    actor: ActorRefSchema,
    requestId: nullable(Type.String()),
    via: Type.Enum([...interfaces]),
    claim: nullable(Type.String({ description: 'The claim that the change was made under.', examples: ['ACME-12.7'] })),
    undoes: nullable(Type.String({ description: 'The event that the change undid.' })),
    ...subjectFields,
    version: Type.Integer({ minimum: 1, description: 'Version after the change; of a deletion, the deleted version.' }),
    changes: FieldChanges('The changed fields. A created record has no old values, a deleted one no new ones.'),
  },
  { $id: 'HistoryEntry' },
)
export type HistoryEntry = Static<typeof HistoryEntry>

export const Moment = (description: string) =>
  Type.String({ maxLength: 40, description, examples: ['2026-01-31T09:00:00.000Z'] })

const Reference = (description: string) => Type.String({ minLength: 1, maxLength: maxReferenceLength, description })

const Full = Type.Optional(
  Type.Boolean({ default: false, description: 'Show long texts before and after the change instead of a diff.' }),
)

export const TaskHistory = Type.Object(
  { full: Full, limit: Type.Optional(Limit(50, 100)), cursor: Type.Optional(Cursor) },
  { additionalProperties: false },
)

const KnowledgeKey = Type.String({ minLength: 1, maxLength: 512, examples: ['guides/setup'] })

export const HistoryList = Type.Object(
  {
    task: Type.Optional(Reference('Only changes of this task.')),
    knowledge: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description:
          'Only changes of the knowledge item with this key or id. If no item has the key, the item that had it last, also if that item is deleted.',
      }),
    ),
    projectId: Type.Optional(
      Reference(
        `Only changes in this project; of \`knowledge\`, its project. ${ProjectRefText} A deleted one by its id.`,
      ),
    ),
    keyId: Type.Optional(Reference('Only changes made by this API key.')),
    requestId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Only changes made by this request.' }),
    ),
    since: Type.Optional(Moment('Only changes from this time on.')),
    until: Type.Optional(Moment('Only changes from before this time.')),
    ...TaskHistory.properties,
  },
  { additionalProperties: false },
)
export type HistoryList = Static<typeof HistoryList>

export const VersionToRestore = Type.Object(
  {
    task: Type.Optional(Type.String({ minLength: 1, maxLength: maxReferenceLength, examples: ['ACME-12'] })),
    knowledge: Type.Optional(KnowledgeKey),
    projectId: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: maxReferenceLength,
          description: `The project of the knowledge item. ${ProjectRefText} Null: the tenant-wide item.`,
        }),
      ),
    ),
    version: Type.Integer({ minimum: 1, maximum: 9_007_199_254_740_991, examples: [3] }),
  },
  { additionalProperties: false, $id: 'VersionToRestore', examples: [{ task: 'ACME-1', version: 1 }] },
)
export type VersionToRestore = Static<typeof VersionToRestore>
