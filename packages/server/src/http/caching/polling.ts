import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { type Awaitable, isPromise } from '../../base/awaitable.js'
import { utf8Length } from '../../base/text.js'
import { answerSettings, type Config, version } from '../../config.js'
import type { Actor } from '../../operations/actor.js'
import type { Operation } from '../../operations/operation.js'
import { sendJson } from '../api/answer.js'
import { tagsOf } from '../api/preconditions.js'
import { type AnswerCache, createAnswerCache } from './answer-cache.js'

/** A request whose answer changes only when its tenant commits or, for a search, gets new vectors. */
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
 * A tag has a part for the state that the answer was read in and, behind a dot, one for its bytes, so that the same answer
 * is not sent again in another state. It is weak, since the bytes may differ between versions of the service.
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
  `${keyId} ${userId} ${scopes.join()} ${projectIds?.join() ?? '*'}`

const sendBody = (reply: FastifyReply, etag: string, body: string | Buffer): FastifyReply =>
  sendJson(reply.header('etag', etag), body)

const sendNotModified = (reply: FastifyReply, etag: string): FastifyReply => reply.code(304).header('etag', etag).send()

const isOfState = (tag: string, stateTag: string): boolean =>
  stateTag !== stateless && (tag === stateTag || tag.startsWith(`${stateTag}.`))

/** Sends an answer, or that it is the one which the caller has; one who sends `*` has any. */
const sendUnlessKnown = (
  request: FastifyRequest,
  reply: FastifyReply,
  stateTag: string,
  body: string | Buffer,
): FastifyReply => {
  const known = request.headers['if-none-match']
  // For those who compare no tags one of the state will do, which takes less than one of all bytes.
  if (known === undefined && stateTag !== stateless) return sendBody(reply, weakTag(stateTag), body)
  const bodyTag = digest(body)
  const etag = weakTag(`${stateTag}.${bodyTag}`)
  const isSame = (tag: string): boolean => tag.endsWith(`.${bodyTag}`) || isOfState(tag, stateTag)
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
  send(request: FastifyRequest, reply: FastifyReply, poll: Poll, body: string): FastifyReply
}

/** Lets those who ask for the same list or search again and again have it for nearly nothing while nothing was written. */
export const createPolling = (edition: string, cache: AnswerCache = createAnswerCache()): Polling => ({
  answer: (request, reply, { dependsOnVectors = false }, proceed) => {
    const { actor, core } = request.call
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
      const known = tagsOf(headers['if-none-match'] ?? '').find((tag) => isOfState(tag, stateTag))
      if (known !== undefined) return sendNotModified(reply, weakTag(known))
      const kept = cache.get(name, state)
      return kept && sendUnlessKnown(request, reply, stateTag, kept.body)
    }
    const commits = core.db.commitsOf(actor.tenantId)
    const vectorChange = dependsOnVectors ? core.vectors?.changeOf(actor.tenantId) : undefined
    if (isPromise(commits) || vectorChange) {
      return Promise.all([commits, vectorChange]).then((state) => sendKnown(...state) ?? proceed())
    }
    return sendKnown(commits, undefined) ? undefined : proceed()
  },
  send: (request, reply, { name, state, stateTag, isFresh }, text) => {
    // Most lists are read once before the next commit; keeping them all would cost more than reading them.
    if (isFresh || !cache.isRepeated(stateTag)) return sendUnlessKnown(request, reply, stateTag, text)
    const body = ownBytes(text)
    cache.keep(name, { state, body })
    return sendUnlessKnown(request, reply, stateTag, body)
  },
})

/** Whether an operation's output is a list. */
export const isList = (output: TSchema): boolean =>
  ((output as TObject).properties?.data as { type?: string } | undefined)?.type === 'array'

/** Sends a list that may change at any time; who has it already is told so. */
export const sendList = (request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply =>
  sendUnlessKnown(request, reply, stateless, body)
