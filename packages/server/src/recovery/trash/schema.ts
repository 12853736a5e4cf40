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
import { SkippedLink } from '../../changelog/versions/schema.js'
import { trashKinds } from '../../changelog/versions/version.js'
import { subjectFields } from '../history/schema.js'

export const TrashEntry = Type.Object(
  {
    id: Type.String({ examples: ['tra_5nGx1VbQ8yKs3HwTz0Pc'] }),
    kind: Type.Enum([...trashKinds]),
    ...subjectFields,
    title: Type.String({
      description:
        'The title of a task, the key of a knowledge item, the beginning of a comment, the name of a project.',
      examples: ['Fix the login redirect'],
    }),
    version: Type.Integer({ minimum: 1, description: 'The deleted version.' }),
    deletedAt: Timestamp,
    deletedBy: ActorRefSchema,
    purgedAt: Type.String({ format: 'date-time', description: 'When the entry will be purged.' }),
    status: Type.Enum(['deleted', 'restoring'], { description: 'Large projects are restored in steps.' }),
  },
  { $id: 'TrashEntry' },
)
export type TrashEntry = Static<typeof TrashEntry>

export const TrashList = Type.Object(
  {
    kind: Type.Optional(Type.Enum([...trashKinds], { description: 'Only records of this kind.' })),
    projectId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxReferenceLength,
        description: `Only what was deleted from this project. ${ProjectRefText}`,
      }),
    ),
    limit: Type.Optional(Limit(50, 100)),
    cursor: Type.Optional(Cursor),
  },
  { additionalProperties: false },
)
export type TrashList = Static<typeof TrashList>

export const EntryId = Type.String({ examples: ['tra_5nGx1VbQ8yKs3HwTz0Pc'] })

export const RestoredEntry = Type.Object(
  {
    id: Type.String({ description: 'Id of the trash entry.' }),
    kind: Type.Enum([...trashKinds]),
    ...subjectFields,
    version: nullable(Type.Integer({ minimum: 1, description: 'The new version; null while it is being restored.' })),
    status: Type.Enum(['restored', 'restoring']),
    skipped: Type.Array(SkippedLink, { description: 'Links that could not be restored.' }),
  },
  { $id: 'RestoredEntry' },
)
export type RestoredEntry = Static<typeof RestoredEntry>

export const PurgeResult = Type.Object(
  {
    purged: Type.Integer({ minimum: 0, description: 'Entries that are no longer in the trash.' }),
    pending: Type.Integer({ minimum: 0, description: 'Those of them whose data is still being removed.' }),
  },
  { $id: 'PurgeResult' },
)
