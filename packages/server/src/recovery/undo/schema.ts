import { type Static, Type } from 'typebox'
import { Cursor, maxReferenceLength, nullable, ProjectRefText } from '../../base/fields.js'
import { SkippedLink } from '../../changelog/versions/schema.js'
import { FieldChanges, HistoryEntry, Moment, subjectFields } from '../history/schema.js'

const Reference = (description: string) => Type.String({ minLength: 1, maxLength: maxReferenceLength, description })

export const UndoRequest = Type.Object(
  {
    keyId: Type.Optional(Reference('Undo what this API key did.')),
    requestId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Undo what this request did. If several keys used the id, `keyId` is required too.',
      }),
    ),
    claim: Type.Optional(
      Type.String({
        pattern: '^[A-Z][A-Z0-9]{1,9}-[1-9]\\d{0,14}\\.[1-9]\\d{0,14}$',
        patternMessage: 'must be a claim token such as ACME-12.7',
        description: 'Undo what was done under this claim.',
      }),
    ),
    worker: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'With `keyId`: undo only what this worker of the key did under its claims, which are known for 30 days after they end.',
      }),
    ),
    since: Type.Optional(Moment('Only changes from this time on.')),
    until: Type.Optional(Moment('Only changes from before this time.')),
    projectId: Type.Optional(Reference(`Only changes in this project. ${ProjectRefText}`)),
    dryRun: Type.Optional(Type.Boolean({ default: true, description: 'Only report what would be undone.' })),
    includeConflicts: Type.Optional(
      Type.Boolean({ default: false, description: 'Also undo records that someone else has changed since.' }),
    ),
    cursor: Type.Optional(Cursor),
  },
  {
    additionalProperties: false,
    $id: 'UndoRequest',
    description:
      'Requires the scope `admin`. Without it, a key can undo only its own requests. It must set `requestId`, cannot set `includeConflicts`, and needs the write scopes of the records.',
    examples: [{ requestId: 'req_7n9dgWibUvniyURyqh7n', dryRun: true }],
  },
)
export type UndoRequest = Static<typeof UndoRequest>

const namedSubject = {
  ...subjectFields,
  title: nullable(
    Type.String({
      description: 'Title of the task, also of a comment or question, or name of the project; null for knowledge.',
    }),
  ),
}

export const UndoneRecord = Type.Object(
  {
    ...namedSubject,
    action: Type.Enum(['reverted', 'deleted', 'restored', 'moved'], {
      description: 'A created record was deleted, a deleted one restored, any other reverted to its earlier fields.',
    }),
    version: nullable(Type.Integer({ description: 'Version after the undo; null if the record was deleted.' })),
    changes: FieldChanges(
      'The fields that go back, from what they are to what they were; empty for a record that was deleted or restored.',
    ),
    undoes: Type.String({ description: 'The newest event that was undone.' }),
    skipped: Type.Array(SkippedLink, { description: 'Links that could not be restored.' }),
  },
  { $id: 'UndoneRecord' },
)
export type UndoneRecord = Static<typeof UndoneRecord>

export const UndoConflict = Type.Object(
  {
    ...namedSubject,
    reason: Type.Enum(['changed', 'refused'], {
      description:
        '`changed`: someone else changed the record since. `refused`: the record cannot be put back; see `message`.',
    }),
    message: Type.String(),
    change: HistoryEntry,
    laterChange: nullable(HistoryEntry),
  },
  { $id: 'UndoConflict' },
)
export type UndoConflict = Static<typeof UndoConflict>

const UnchangedRecord = Type.Object(subjectFields, {
  $id: 'UnchangedRecord',
  description: 'A record that already is as it was before.',
})

export const UndoReport = Type.Object(
  {
    dryRun: Type.Boolean(),
    undone: Type.Array(UndoneRecord),
    conflicts: Type.Array(UndoConflict),
    unchanged: Type.Array(UnchangedRecord),
    nextCursor: nullable(Type.String({ description: 'Send it as `cursor` to continue; null after the last page.' })),
  },
  { $id: 'UndoReport' },
)
export type UndoReport = Static<typeof UndoReport>
