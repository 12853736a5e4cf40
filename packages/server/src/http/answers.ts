import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { type Awaitable, isPromise } from '../awaitable.js'
import { CursorPagination, type PageQuery } from '../fields.js'
import type { Page } from '../paging.js'
import { includesVersion } from '../versions.js'
import { ifNoneMatch } from './preconditions.js'

/** Schemas of answers, for the document. */
export const dataOf = <T extends TSchema>(schema: T) => Type.Object({ data: schema })
export const listOf = <T extends TSchema>(schema: T, pagination: TSchema = CursorPagination) =>
  Type.Object({ data: Type.Array(schema), pagination })
export const deletedBy = (identifier: 'id' | 'key') =>
  Type.Object({ data: Type.Object({ [identifier]: Type.String(), deleted: Type.Literal(true) }) })

const jsonType = 'application/json; charset=utf-8'

export const sendJson = (reply: FastifyReply, body: string): FastifyReply =>
  reply.header('content-type', jsonType).send(body)

export const sendData = (reply: FastifyReply, data: unknown): FastifyReply =>
  sendJson(reply, `{"data":${JSON.stringify(data)}}`)

export const sendPage = (
  reply: FastifyReply,
  limit: number,
  { items, hasMore, nextCursor }: Page<string>,
): FastifyReply =>
  sendJson(reply, `{"data":[${items.join(',')}],"pagination":${JSON.stringify({ limit, hasMore, nextCursor })}}`)

/** A page of small records, fifty unless the query says how many. */
export const sendRecords = (reply: FastifyReply, query: PageQuery, page: Page<object>): FastifyReply =>
  sendPage(reply, query.limit ?? 50, { ...page, items: page.items.map((item) => JSON.stringify(item)) })

export const sendDeleted = (reply: FastifyReply, identifier: { id: string } | { key: string }): FastifyReply =>
  sendData(reply, { ...identifier, deleted: true })

interface VersionedRecord {
  version: number
  json: string
}

/** A record with its version; 304 where the caller has it already. */
export const sendRecord = (request: FastifyRequest, reply: FastifyReply, record: VersionedRecord): FastifyReply => {
  reply.header('etag', `"${record.version}"`)
  if (request.method === 'GET' || request.method === 'HEAD') {
    const known = ifNoneMatch(request)
    if (known !== undefined && includesVersion(known, record.version)) return reply.code(304).send()
  }
  return sendJson(reply, `{"data":${record.json}}`)
}

/** The same for a record that may still have to be waited for. */
export const sendWhenRead = (
  request: FastifyRequest,
  reply: FastifyReply,
  record: Awaitable<VersionedRecord>,
): Promise<FastifyReply> | undefined => {
  if (isPromise(record)) return record.then((read) => sendRecord(request, reply, read))
  sendRecord(request, reply, record)
  return undefined
}
