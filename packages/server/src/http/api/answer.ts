import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Result } from '../../operations/result.js'
import { noStore } from '../caching/headers.js'
import type { Route } from '../route.js'
import { includesTag } from './preconditions.js'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
  /** What a replay shows instead, where the first answer shows a secret. */
  replayBody?: string
  /** There is nothing to keep of it for a repeated request. */
  isEmpty?: boolean
}

const jsonType = 'application/json; charset=utf-8'

export const sendJson = (reply: FastifyReply, body: string | Buffer): FastifyReply =>
  reply.header('content-type', jsonType).send(body)

/** The part of an answer that is sent. A large body is already encoded. */
export interface SentAnswer extends Pick<Answer, 'status' | 'headers'> {
  body: string | Buffer
}

export const sendAnswer = (reply: FastifyReply, { status, headers, body }: SentAnswer): FastifyReply =>
  sendJson(reply.code(status).headers(headers), body)

const bodyOf = (data: string, more: Result['more']): string => {
  if (more === undefined) return `{"data":${data}}`
  return `{"data":${data},${JSON.stringify(more).slice(1)}`
}

const encodeSegments = (text: string): string => text.split('/').map(encodeURIComponent).join('/')

const locationOf = (template: string, input: Readonly<Record<string, unknown>>, id: string): string =>
  template.replaceAll(/:(\w+)/g, (_, name) => encodeSegments(name === 'id' ? id : String(input[name])))

/** The version; where the record has changed without a new one, how often; and whether its time is over. */
export const etagOf = ({ version, derived = 0, isExpired = false }: Result): string | undefined =>
  version === undefined ? undefined : `"${version}${derived === 0 ? '' : `.${derived}`}${isExpired ? '-expired' : ''}"`

/** What HTTP makes of an operation's result. */
export const answerOf = (
  { statuses, location }: Route,
  input: Readonly<Record<string, unknown>>,
  result: Result,
): Answer => {
  const { data, more, id, isCreated = false, isEmpty = false, replayData } = result
  const headers: Record<string, string> = {}
  const etag = etagOf(result)
  if (etag !== undefined) headers.etag = etag
  // What a replay leaves out is a secret.
  if (replayData !== undefined) headers['cache-control'] = noStore
  if (location !== undefined && id !== undefined) headers.location = locationOf(location, input, id)
  return {
    status: isCreated && statuses.includes(201) ? 201 : statuses[0]!,
    headers,
    body: bodyOf(data, more),
    isEmpty,
    ...(replayData !== undefined && { replayBody: bodyOf(replayData, more) }),
  }
}

/**
 * A browser asks by itself, with the tag it has for an address, though it may have got it with the key of another tenant,
 * whose record has the same version. `Vary` does not keep it from that, so it always gets the record.
 */
const isBrowser = ({ headers, call }: FastifyRequest): boolean =>
  call.actor.sessionId !== undefined || headers['sec-fetch-site'] !== undefined || headers.origin !== undefined

/** Whether the caller of a read has this already. */
export const isNotModified = (request: FastifyRequest, result: Result): boolean => {
  const { method, headers } = request
  const known = headers['if-none-match']
  const etag = etagOf(result)
  if (known === undefined || etag === undefined || (method !== 'GET' && method !== 'HEAD')) return false
  return includesTag(known, etag) && !isBrowser(request)
}
