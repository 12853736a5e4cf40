import { type Static, Type } from 'typebox'

/** Pieces of schemas that several records share. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-01-31T09:00:00.000Z'] })

export const Version = Type.Integer({
  minimum: 1,
  description: 'Starts at 1 and rises with each change.',
  examples: [1],
})

/** What a record is called by people. */
export const maxNameLength = 200

export const nameOf = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: maxNameLength,
    pattern: '\\S',
    patternMessage: 'must not be blank',
    examples: [example],
  })

export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/** Of an id, or of a key that stands for one. */
export const maxReferenceLength = 64

export const ProjectRefText = 'Project id (`prj_…`) or key (`ACME`).'

export const ActorRefSchema = Type.Object(
  {
    keyId: Type.String({ examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }),
    keyName: Type.String({ examples: ['build agent'] }),
    userId: nullable(Type.String()),
  },
  { $id: 'Actor', description: 'The API key that made the change, and the user it belongs to.' },
)

export const Limit = (fallback: number, maximum: number) =>
  Type.Integer({ minimum: 1, maximum, default: fallback, description: `Records per page, at most ${maximum}.` })

export const Cursor = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: '`nextCursor` of the previous page, with the same filters and sort order.',
})

export const CursorPagination = Type.Object(
  {
    limit: Type.Integer(),
    hasMore: Type.Boolean(),
    nextCursor: nullable(Type.String()),
  },
  { $id: 'CursorPagination' },
)

export const PageQuery = Type.Object(
  { limit: Type.Optional(Limit(50, 100)), cursor: Type.Optional(Cursor) },
  { additionalProperties: false },
)
export type PageQuery = Static<typeof PageQuery>
