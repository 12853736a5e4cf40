import { isAscii, isUtf8, transcode } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
import { type Awaitable, isPromise } from '../../base/awaitable.js'
import { AppError, type ErrorDetail } from '../../base/errors.js'
import { isStorable } from '../../base/text.js'
import { illFormed, type Operation } from '../../operations/operation.js'
import { type Scheduler, serviceGroup } from '../../scheduling/scheduler.js'
import { shapeProblem } from './json-shape.js'

/** A smaller body is parsed in no time, whatever its shape. */
const largeBytes = 8_192

const hugeBytes = 262_144

/** Through UTF-16, Node decodes a large non-ASCII text in half the time. */
const decoded = (bytes: Buffer): string =>
  bytes.length < hugeBytes || isAscii(bytes)
    ? bytes.toString('utf8')
    : transcode(bytes, 'utf8', 'utf16le').toString('utf16le')

/** Where the first part of a JSON value is that is refused. */
const pathWhere = (value: unknown, isRefused: (part: unknown) => boolean): string | undefined => {
  const pending: [value: unknown, path: string][] = [[value, '']]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [node, at] = next
    if (isRefused(node)) return at
    if (typeof node !== 'object' || node === null) continue
    // The last one pushed is looked at next.
    for (const [name, child] of Object.entries(node).reverse())
      pending.push([child, at === '' ? name : `${at}.${name}`])
  }
  return undefined
}

/** A text or a name that the store could not keep. */
const isUnstorable = (part: unknown): boolean => {
  if (typeof part === 'string') return !isStorable(part)
  return typeof part === 'object' && part !== null && !Object.keys(part).every(isStorable)
}

/** An object that would reach a prototype when it is copied. */
const reachesPrototype = (part: unknown): boolean => {
  if (typeof part !== 'object' || part === null) return false
  if (Object.hasOwn(part, '__proto__')) return true
  return Object.hasOwn(part, 'constructor') && Object.hasOwn(Object(part.constructor), 'prototype')
}

/** What is wrong with a text that is to be JSON; `isJson` where it would be JSON, but is not taken. */
interface JsonProblem extends ErrorDetail {
  readonly isJson: boolean
}

const forbiddenProperty = 'Object contains forbidden prototype property'

type ReadJson = { value: unknown } | { problem: JsonProblem }

const parsed = (text: string): ReadJson => {
  try {
    return { value: secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' }) }
  } catch (error) {
    const { message } = error as Error
    const isJson = message === forbiddenProperty
    const path = isJson ? (pathWhere(JSON.parse(text), reachesPrototype) ?? '') : ''
    return { problem: { path, message: `is not valid JSON (${message})`, isJson } }
  }
}

const withStorableText = (text: string, read: ReadJson): ReadJson => {
  // NUL and half surrogates can stand in valid JSON only as \u escapes.
  if ('problem' in read || !text.includes('\\u')) return read
  const path = pathWhere(read.value, isUnstorable)
  if (path === undefined) return read
  return { problem: { path, message: 'must not contain NUL or an unpaired surrogate', isJson: true } }
}

const notUtf8: JsonProblem = { path: '', message: 'is not valid UTF-8', isJson: false }

const readSmall = (bytes: Buffer): ReadJson => {
  if (!isUtf8(bytes)) return { problem: notUtf8 }
  const text = decoded(bytes)
  return withStorableText(text, parsed(text))
}

const readLarge = async (bytes: Buffer, turn: () => Awaitable<void>): Promise<ReadJson> => {
  await turn()
  if (!isUtf8(bytes)) return { problem: notUtf8 }
  const shape = shapeProblem(bytes)
  if (shape) return { problem: { path: '', message: shape, isJson: true } }
  await turn()
  const text = decoded(bytes)
  await turn()
  const read = parsed(text)
  await turn()
  return withStorableText(text, read)
}

/** Parses JSON, or returns why it is refused. Each step of parsing a large body waits for a scheduler turn. */
export const readJson = (bytes: Buffer, turn: () => Awaitable<void>): Awaitable<ReadJson> =>
  bytes.length < largeBytes ? readSmall(bytes) : readLarge(bytes, turn)

const acceptedValue = (read: ReadJson, operation: Operation | undefined): unknown => {
  if ('value' in read) return read.value
  const { path, message } = read.problem
  throw illFormed(operation ?? {}, [{ path, message }])
}

/** Returns the scheduler group of a request. Requests without a key share one group. */
export const groupOf = ({ call }: FastifyRequest): string => call?.actor.tenantId ?? serviceGroup

const isEncoded = (headers: IncomingHttpHeaders): boolean =>
  (headers['content-encoding'] ?? 'identity') !== 'identity' ||
  (headers['transfer-encoding'] ?? 'chunked') !== 'chunked'

const compressedBody = (): AppError =>
  new AppError('media_type', 'Compressed request bodies are not supported. Send the body uncompressed.')

export const registerBodyParser = (app: FastifyInstance, scheduler: Scheduler): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (isEncoded(request.headers)) return done(compressedBody())
    if (bytes.length === 0) return done(null, undefined)
    const { operation } = request.routeOptions.config
    const read = readJson(bytes, () => scheduler.turn(groupOf(request)))
    if (isPromise(read)) return read.then((read) => acceptedValue(read, operation))
    try {
      done(null, acceptedValue(read, operation))
    } catch (error) {
      done(error as Error)
    }
  })
}
