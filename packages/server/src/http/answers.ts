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

/** Answers at once where what is to be sent is there, and leaves it to the promise where it is not. */
const whenRead = <T>(read: Awaitable<T>, send: (value: T) => FastifyReply): Promise<FastifyReply> | undefined => {
  if (isPromise(read)) return read.then(send)
  send(read)
  return undefined
}

export const sendWhenRead = (request: FastifyRequest, reply: FastifyReply, record: Awaitable<VersionedRecord>) =>
  whenRead(record, (read) => sendRecord(request, reply, read))

export const sendJsonWhenRead = <T>(reply: FastifyReply, read: Awaitable<T>, jsonOf: (value: T) => string) =>
  whenRead(read, (value) => sendJson(reply, jsonOf(value)))
