import { type Static, Type } from 'typebox'

/** Pieces of schemas that several records share. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-01-31T09:00:00.000Z'] })

export const Version = Type.Integer({
  minimum: 1,
  description: 'Counts the changes of the record, from 1.',
  examples: [1],
})

/** What a record is called by people. */
export const nameOf = (example: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', examples: [example] })

export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

export const ProjectRefText = 'The project, by its id (`prj_…`) or by its key (`ACME`).'

export const ActorRefSchema = Type.Object(
  {
    keyId: Type.String({ examples: ['key_4Bk1sPq9fWx2LrT7vZ0c'] }),
    keyName: Type.String({ examples: ['build agent'] }),
    userId: nullable(Type.String()),
  },
  { $id: 'Actor', description: 'The API key that made the change, and the user it belongs to.' },
)

export const Limit = (fallback: number, maximum: number) =>
  Type.Integer({ minimum: 1, maximum, default: fallback, description: `Records a page, at most ${maximum}.` })

export const Cursor = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: 'Where to go on: `nextCursor` of the page before. It belongs to the same filters and order.',
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
