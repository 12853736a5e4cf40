import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Awaitable, isPromise } from '../../base/awaitable.js'
import { compressThoroughly } from '../caching/compress.js'
import { varyByEncoding } from '../caching/compression.js'
import { chooseEncoding, type Encoding } from '../caching/encodings.js'

/** Bytes that never change while the service runs. All answers share them, compressed ones too. */
export interface StaticBytes {
  bytes: Buffer
  type: string
  etag: string
  cacheControl: string
  compressed: Map<Encoding, Awaitable<Buffer>>
}

export const staticBytes = (content: string | Buffer, type: string, cacheControl = 'no-cache'): StaticBytes => {
  const bytes = Buffer.from(content)
  const etag = `W/"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
  return { bytes, type, etag, cacheControl, compressed: new Map() }
}

const isCompressible = ({ bytes, type }: StaticBytes): boolean =>
  bytes.length >= 1_024 && !/^(image\/png|font\/woff2)/.test(type)

const compressedBytes = (content: StaticBytes, encoding: Encoding): Awaitable<Buffer> => {
  const known = content.compressed.get(encoding)
  if (known) return known
  const compressing = compressThoroughly(content.bytes, encoding).then((bytes) => {
    content.compressed.set(encoding, bytes)
    return bytes
  })
  content.compressed.set(encoding, compressing)
  return compressing
}

/** Sends at once where it can: a connection's next request is held back only once an answer is there to be read. */
export const sendStatic = (
  request: FastifyRequest,
  reply: FastifyReply,
  content: StaticBytes,
): Awaitable<FastifyReply> => {
  reply.headers({ 'content-type': content.type, etag: content.etag, 'cache-control': content.cacheControl })
  if (request.headers['if-none-match']?.includes(content.etag)) return reply.code(304).send()
  const encoding = isCompressible(content) ? chooseEncoding(request.headers['accept-encoding'] as string) : undefined
  if (encoding === undefined) return reply.send(content.bytes)
  varyByEncoding(reply)
  reply.header('content-encoding', encoding)
  const bytes = compressedBytes(content, encoding)
  return isPromise(bytes) ? bytes.then((ready) => reply.send(ready)) : reply.send(bytes)
}
