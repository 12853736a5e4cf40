import { type TSchema, Type } from 'typebox'
import { CursorPagination, type PageQuery } from '../base/fields.js'
import { type Json, jsonArray, toJson } from '../base/json.js'
import type { Page } from '../base/paging.js'

/** What an operation answers: the data as JSON text, and what an interface may need to know about it. */
export interface Result {
  readonly data: Json<unknown>
  /** Members of the answer beside `data`. */
  readonly more?: Readonly<Record<string, unknown>>
  /** What identifies the record, where the data is one. */
  readonly id?: string
  readonly version?: number
  /** How often the data has changed without a new version. */
  readonly derived?: number
  /** The data says that its time is over, which is no change. */
  readonly isExpired?: boolean
  /** The newest change of the vectors that a search went by. */
  readonly vectorChange?: number
  /** When the answer changes without a commit, in milliseconds; absent where it does not. */
  readonly changesAt?: number | undefined
  readonly isCreated?: boolean
  /** There is nothing yet: it may be waited for, and is not kept for a repeated request. */
  readonly isEmpty?: boolean
  /** The data without the secret that is shown once, for whoever repeats the request. */
  readonly replayData?: Json<unknown>
}

export const dataOf = <T extends TSchema>(schema: T) => Type.Object({ data: schema })
export const listOf = <T extends TSchema, P extends TSchema = typeof CursorPagination>(schema: T, pagination?: P) =>
  Type.Object({ data: Type.Array(schema), pagination: (pagination ?? CursorPagination) as P })
export const deletedBy = (...identifiers: ('id' | 'key')[]) =>
  dataOf(
    Type.Object({
      ...Object.fromEntries(identifiers.map((name) => [name, Type.String()])),
      deleted: Type.Literal(true),
    }),
  )

export const data = (value: object): Result => ({ data: toJson(value) })

/** A record that was just made, with what tells an interface where it is. */
export const created = (record: { id: string; version?: number }): Result => ({
  data: toJson(record),
  id: record.id,
  ...(record.version !== undefined && { version: record.version }),
  isCreated: true,
})

export const versioned = (record: { version: number }): Result => ({ data: toJson(record), version: record.version })

export const deleted = (identifiers: { id: string; key?: string }): Result => data({ ...identifiers, deleted: true })

export const page = (limit: number, { items, hasMore, nextCursor }: Page<Json<unknown>>): Result => ({
  data: jsonArray(items),
  more: { pagination: { limit, hasMore, nextCursor } },
})

/** A page of small records, fifty unless the input says how many. */
export const records = ({ limit = 50 }: PageQuery, { items, ...rest }: Page<object>): Result =>
  page(limit, { ...rest, items: items.map(toJson) })
