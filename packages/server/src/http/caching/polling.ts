import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { type Awaitable, isPromise } from '../../base/awaitable.js'
import { createStateCache, isOver } from '../../base/state-cache.js'
import { utf8Length } from '../../base/text.js'
import { answerSettings, type Config, version } from '../../config.js'
import type { Actor } from '../../operations/actor.js'
import type { Operation } from '../../operations/operation.js'
import { sendJson } from '../api/answer.js'
import { tagsOf } from '../api/preconditions.js'

/**
 * A request whose answer changes only when its tenant commits or, for a search, gets new vectors; and at a time that its
 * answer tells.
 */
interface Poll {
  /** The request with all that its answer depends on but the state of its tenant. */
  name: string
  /** What the tenant had committed before the answer was read, */
  commits: string
  /** the newest change of its vectors, undefined where the answer does not depend on them, */
  vectorChange: number | undefined
  /** and both as one. */
  state: string
  /** Of the request in this state. */
  stateTag: string
  /** Whether the caller wants the answer read anew. */
  isFresh: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    poll: Poll | undefined
  }
}

const digest = (text: string | Buffer): string => hash('sha1', text, 'base64url')

/**
 * A tag has a part for the state that the answer was read in, behind a dash the time from which on it is another one
 * without a new state, if there is one, and behind a dot a part for its bytes, so that the same answer is not sent again
 * in another state. It is weak, since the bytes may differ between versions of the service.
 */
const weakTag = (tag: string): string => `W/"${tag}"`
/** The part of an answer that may change at any time. */
const stateless = ''

/** Small buffers are parts of larger ones, which would be kept with them. */
const ownBytes = (text: string): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(utf8Length(text))
  bytes.write(text)
  return bytes
}

/**
 * Names what answers depend on besides requests and the state of a tenant, such as the model of its vectors. Nodes of one
 * version with the same settings share it.
 */
export const editionOf = (config: Config, model: string | undefined, program = version): string =>
  digest(JSON.stringify([program, model, ...answerSettings(config)])).slice(0, 8)

const viewOf = ({ keyId, userId, scopes, projectIds }: Actor): string =>
  `${keyId} ${userId} ${scopes.join()} ${projectIds === null ? '*' : JSON.stringify(projectIds)}`

const sendBody = (reply: FastifyReply, etag: string, body: string | Buffer): FastifyReply =>
  sendJson(reply.header('etag', etag), body)

const sendNotModified = (reply: FastifyReply, etag: string): FastifyReply => reply.code(304).header('etag', etag).send()

const timedTag = (stateTag: string, changesAt: number | undefined): string =>
  changesAt === undefined ? stateTag : `${stateTag}-${changesAt}`

/** What follows the state in a tag. */
const restOfTag = /^(?:-(\d{1,16}))?(?:\.|$)/

/** Whether who has the tag has the answer of this state that is right now. */
const isOfState = (tag: string, stateTag: string, nowMs: number): boolean => {
  if (stateTag === stateless || !tag.startsWith(stateTag)) return false
  const rest = restOfTag.exec(tag.slice(stateTag.length))
  return rest !== null && !isOver(rest[1] === undefined ? undefined : Number(rest[1]), nowMs)
}

/** Sends an answer, or that it is the one which the caller has; one who sends `*` has any. */
const sendUnlessKnown = (
  request: FastifyRequest,
  reply: FastifyReply,
  stateTag: string,
  body: string | Buffer,
  changesAt?: number,
): FastifyReply => {
  const known = request.headers['if-none-match']
  const timed = timedTag(stateTag, changesAt)
  // For those who compare no tags one of the state will do, which takes less than one of all bytes.
  if (known === undefined && stateTag !== stateless) return sendBody(reply, weakTag(timed), body)
  const bodyTag = digest(body)
  const etag = weakTag(`${timed}.${bodyTag}`)
  const nowMs = request.call.clock()
  const isSame = (tag: string): boolean => tag.endsWith(`.${bodyTag}`) || isOfState(tag, stateTag, nowMs)
  const isKnown = known !== undefined && (known.trim() === '*' || tagsOf(known).some(isSame))
  return isKnown ? sendNotModified(reply, etag) : sendBody(reply, etag, body)
}

export interface Polling {
  /** Answers a request from what is known where the state of its tenant is the same; else lets `proceed` answer. */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Pick<Operation, 'dependsOnVectors'>,
    proceed: () => unknown,
  ): Awaitable<unknown>
  /** Sends an answer that was read for a poll, and keeps it if it has been read before. */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    poll: Poll,
    body: string | Buffer,
    changesAt: number | undefined,
  ): FastifyReply
}

const cacheSettings = { maxBytes: 16_777_216, maxValueBytes: 1_048_576, bytesOf: ({ length }: Buffer) => length }

/** Lets those who ask for the same list or search again and again have it for nearly nothing while nothing was written. */
export const createPolling = (edition: string): Polling => {
  const cache = createStateCache(cacheSettings)
  return {
    answer: (request, reply, { dependsOnVectors = false }, proceed) => {
      const { actor, core, clock } = request.call
      const { headers } = request
      /** Undefined where the answer is not known. */
      const sendKnown = (commits: string, vectorChange: number | undefined): FastifyReply | undefined => {
        const name = `${viewOf(actor)} ${request.url}`
        const state = vectorChange === undefined ? commits : `${commits}/${vectorChange}`
        const stateTag = digest(`${edition} ${state} ${name}`)
        const isFresh = headers['cache-control']?.includes('no-cache') === true
        request.poll = { name, commits, vectorChange, state, stateTag, isFresh }
        if (isFresh) return undefined
        // No one has a tag of this state but from an answer to this very request.
        const nowMs = clock()
        const known = tagsOf(headers['if-none-match'] ?? '').find((tag) => isOfState(tag, stateTag, nowMs))
        if (known !== undefined) return sendNotModified(reply, weakTag(known))
        const kept = cache.get(name, state, nowMs)
        return kept && sendUnlessKnown(request, reply, stateTag, kept.value, kept.changesAt)
      }
      const commits = core.db.commitsOf(actor.tenantId)
      const vectorChange = dependsOnVectors ? core.vectors?.changeOf(actor.tenantId) : undefined
      if (isPromise(commits) || vectorChange) {
        return Promise.all([commits, vectorChange]).then((state) => sendKnown(...state) ?? proceed())
      }
      return sendKnown(commits, undefined) ? undefined : proceed()
    },
    send: (request, reply, { name, state, stateTag, isFresh }, answer, changesAt) => {
      // Most lists are read once before the next commit; keeping them all would cost more than reading them.
      if (isFresh || !cache.isRepeated(stateTag)) return sendUnlessKnown(request, reply, stateTag, answer, changesAt)
      const body = typeof answer === 'string' ? ownBytes(answer) : answer
      cache.keep(name, { state, value: body, changesAt })
      return sendUnlessKnown(request, reply, stateTag, body, changesAt)
    },
  }
}

/** Whether an operation's output is a list. */
export const isList = (output: TSchema): boolean =>
  ((output as TObject).properties?.data as { type?: string } | undefined)?.type === 'array'

/** Sends a list that may change at any time; who has it already is told so. */
export const sendList = (request: FastifyRequest, reply: FastifyReply, body: string | Buffer): FastifyReply =>
  sendUnlessKnown(request, reply, stateless, body)
