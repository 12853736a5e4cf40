import { isAscii, isUtf8, transcode } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
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

/** Reads JSON, or says why it is refused. */
export const readJson = (bytes: Buffer): { value: unknown } | { problem: JsonProblem } => {
  if (!isUtf8(bytes)) return { problem: { path: '', message: 'is not valid UTF-8', isJson: false } }
  const shape = bytes.length < largeBytes ? undefined : shapeProblem(bytes)
  if (shape) return { problem: { path: '', message: shape, isJson: true } }
  const text = decoded(bytes)
  let value: unknown
  try {
    value = secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    const { message } = error as Error
    const isJson = message === forbiddenProperty
    const path = isJson ? (pathWhere(JSON.parse(text), reachesPrototype) ?? '') : ''
    return { problem: { path, message: `is not valid JSON (${message})`, isJson } }
  }
  // NUL and half surrogates can stand in valid JSON only as \u escapes.
  const path = text.includes('\\u') ? pathWhere(value, isUnstorable) : undefined
  if (path === undefined) return { value }
  return { problem: { path, message: 'must not contain NUL or an unpaired surrogate', isJson: true } }
}

const parseJson = (bytes: Buffer, operation: Operation | undefined): unknown => {
  if (bytes.length === 0) return undefined
  const read = readJson(bytes)
  if ('problem' in read) throw illFormed(operation ?? {}, [{ path: read.problem.path, message: read.problem.message }])
  return read.value
}

/** Returns the scheduler group of a request. Requests without a key share one group. */
export const groupOf = ({ call }: FastifyRequest): string => call?.actor.tenantId ?? serviceGroup

const isEncoded = (headers: IncomingHttpHeaders): boolean =>
  (headers['content-encoding'] ?? 'identity') !== 'identity' ||
  (headers['transfer-encoding'] ?? 'chunked') !== 'chunked'

export const registerBodyParser = (app: FastifyInstance, scheduler: Scheduler): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const parse = (): void => {
      try {
        if (isEncoded(request.headers)) {
          throw new AppError('media_type', 'Compressed request bodies are not supported. Send the body uncompressed.')
        }
        done(null, parseJson(bytes, request.routeOptions.config.operation))
      } catch (error) {
        done(error as Error)
      }
    }
    const turn = bytes.length < largeBytes ? undefined : scheduler.turn(groupOf(request))
    if (turn) void turn.then(parse)
    else parse()
  })
}
