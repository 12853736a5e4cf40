import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import type { Actor } from '../actor.js'
import { type Awaitable, isPromise } from '../awaitable.js'
import { answerSettings, type Config } from '../config.js'
import type { Operation } from '../operations/operation.js'
import { utf8Length } from '../text.js'
import { version } from '../version.js'
import { sendJson } from './answer.js'
import { type AnswerCache, createAnswerCache } from './answer-cache.js'
import { includesTag } from './preconditions.js'

/** A request whose answer changes only when its tenant commits or, for a search, gets new vectors. */
export interface Poll {
  /** The request with all that its answer depends on but the state of its tenant. */
  name: string
  /** What the tenant had committed before the answer was read, */
  commits: string
  /** the newest change of its vectors, undefined where the answer does not depend on them, */
  vectorChange: number | undefined
  /** and both as one. */
  state: string
  etag: string
  /** Whether the caller wants the answer read anew. */
  isFresh: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    poll: Poll | undefined
  }
}

const digest = (text: string | Buffer): string => hash('sha1', text, 'base64url')

/** Weak, since the bytes may differ between versions of the service. */
const weakTag = (text: string | Buffer): string => `W/"${digest(text)}"`

/** Small buffers are parts of larger ones, which would be kept with them. */
const ownBytes = (text: string): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(utf8Length(text))
  bytes.write(text)
  return bytes
}

/** Names what answers depend on besides requests and commits. Nodes of one version with the same settings share it. */
export const editionOf = (config: Config, program = version): string =>
  digest(JSON.stringify([program, ...answerSettings(config)])).slice(0, 8)

const viewOf = ({ keyId, userId, scopes, projectIds }: Actor): string =>
  `${keyId} ${userId} ${scopes.join()} ${projectIds?.join() ?? '*'}`

/** Whether the caller has the answer with this tag; one who sends `*` has any. */
const isKnown = ({ headers }: FastifyRequest, etag: string): boolean => {
  const known = headers['if-none-match']
  return known !== undefined && includesTag(known, etag)
}

const sendNotModified = (reply: FastifyReply, etag: string): FastifyReply => reply.code(304).header('etag', etag).send()

const sendBody = (reply: FastifyReply, etag: string, body: string | Buffer): FastifyReply =>
  sendJson(reply.header('etag', etag), body)

const sendUnlessKnown = (
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  body: string | Buffer,
): FastifyReply => (isKnown(request, etag) ? sendNotModified(reply, etag) : sendBody(reply, etag, body))

export interface Polling {
  /** Answers a request from what is known where its tenant has committed nothing since; else lets `proceed` answer. */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Pick<Operation, 'goesByVectors'>,
    proceed: () => unknown,
  ): Awaitable<unknown>
  /** Sends an answer that was read for a poll, and keeps it if it has been read before. */
  send(request: FastifyRequest, reply: FastifyReply, poll: Poll, body: string): FastifyReply
}

/** Lets those who ask for the same list again and again have it for nearly nothing while nothing was written. */
export const createPolling = (edition: string, cache: AnswerCache = createAnswerCache()): Polling => ({
  answer: (request, reply, { goesByVectors = false }, proceed) => {
    const { actor, core } = request.call
    const { headers } = request
    /** Undefined where the answer is not known. */
    const sendKnown = (commits: string, vectorChange: number | undefined): FastifyReply | undefined => {
      const name = `${viewOf(actor)} ${request.url}`
      const state = vectorChange === undefined ? commits : `${commits}/${vectorChange}`
      const etag = weakTag(`${edition} ${state} ${name}`)
      const isFresh = headers['cache-control']?.includes('no-cache') === true
      request.poll = { name, commits, vectorChange, state, etag, isFresh }
      if (isFresh) return undefined
      const kept = cache.get(name)
      if (kept?.state === state) return sendUnlessKnown(request, reply, etag, kept.body)
      // No one has this tag but from an answer to this very request; `*` says nothing of that.
      const isAny = headers['if-none-match']?.trim() === '*'
      return !isAny && isKnown(request, etag) ? sendNotModified(reply, etag) : undefined
    }
    const commits = core.db.commitsOf(actor.tenantId)
    const vectorChange = goesByVectors ? core.vectorChangeOf(actor.tenantId) : undefined
    if (isPromise(commits) || isPromise(vectorChange)) {
      return Promise.all([commits, vectorChange]).then((state) => sendKnown(...state) ?? proceed())
    }
    return sendKnown(commits, vectorChange) ? undefined : proceed()
  },
  send: (request, reply, { name, state, etag, isFresh }, text) => {
    // Most lists are read once before the next commit; keeping them all would cost more than reading them.
    if (isFresh || !cache.isRepeated(etag)) return sendUnlessKnown(request, reply, etag, text)
    const body = ownBytes(text)
    cache.keep(name, { state, body })
    return sendUnlessKnown(request, reply, etag, body)
  },
})

/** Whether an operation's output is a list. */
export const isList = (output: TSchema): boolean =>
  ((output as TObject).properties?.data as { type?: string } | undefined)?.type === 'array'

/** Sends a list that may change at any time; who has it already is told so. */
export const sendList = (request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply =>
  sendUnlessKnown(request, reply, weakTag(body), body)
