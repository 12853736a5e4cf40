import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import secureJson from 'secure-json-parse'
import { AppError, invalid } from '../errors.js'
import { isStorable } from '../text.js'
import { shapeProblem } from './json-shape.js'

/** A smaller body is parsed in no time, whatever its shape. */
const shapeCheckedFromBytes = 8_192

/** Finds the first text in a JSON value that the store could not keep. */
const unstorablePath = (value: unknown, path: string): string | undefined => {
  const pending: [value: unknown, path: string][] = [[value, path]]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [node, at] = next
    if (typeof node === 'string' && !isStorable(node)) return at
    if (typeof node !== 'object' || node === null) continue
    for (const [name, child] of Object.entries(node)) {
      if (!isStorable(name)) return at
      pending.push([child, at === '' ? name : `${at}.${name}`])
    }
  }
  return undefined
}

export const parseJson = (bytes: Buffer): unknown => {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw invalid({ path: '', message: 'is not valid UTF-8' })
  const shape = bytes.length < shapeCheckedFromBytes ? undefined : shapeProblem(bytes)
  if (shape) throw invalid({ path: '', message: shape })
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    throw invalid({ path: '', message: `is not valid JSON (${(error as Error).message})` })
  }
  // NUL and half surrogates can stand in valid JSON only as \u escapes.
  if (text.includes('\\u')) {
    const path = unstorablePath(value, '')
    if (path !== undefined) throw invalid({ path, message: 'has a NUL or half of a surrogate pair' })
  }
  return value
}

const isEncoded = (headers: IncomingHttpHeaders): boolean =>
  (headers['content-encoding'] ?? 'identity') !== 'identity' ||
  (headers['transfer-encoding'] ?? 'chunked') !== 'chunked'

export const registerBodyParser = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      if (isEncoded(request.headers)) {
        throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is: compressed bodies are not taken.')
      }
      done(null, parseJson(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}
