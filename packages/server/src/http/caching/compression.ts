import type { FastifyInstance, FastifyReply } from 'fastify'
import { compressLater, compressNow } from './compress.js'
import { chooseEncoding } from './encodings.js'

/** Below it the saving is not worth a header. */
const fromBytes = 1_024
/** What takes longer than about half a millisecond is left to another thread. */
const laterFromBytes = 16_384
/** Node has four such threads, and name look-ups and files need them too. While these are busy, answers go as they are. */
const maxAtOnce = 2

export const varyByEncoding = (reply: FastifyReply): void => {
  const vary = reply.getHeader('vary')
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`)
}

/** Compresses answers for those who ask for it. The `ETag` stays: it is the version of the record, not of the bytes. */
export const registerCompression = (app: FastifyInstance): void => {
  let atOnce = 0

  app.addHook<string | Buffer | null>('onSend', (request, reply, payload, done) => {
    if (payload === null || payload === undefined || !(payload.length >= fromBytes)) return done(null, payload)
    if (reply.hasHeader('content-encoding')) return done(null, payload)
    varyByEncoding(reply)
    const encoding = chooseEncoding(request.headers['accept-encoding'] as string | undefined)
    if (encoding === undefined || request.method === 'HEAD') return done(null, payload)
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
    const send = (compressed: Buffer): void => {
      reply.header('content-encoding', encoding)
      done(null, compressed)
    }
    if (bytes.length < laterFromBytes) return send(compressNow(bytes, encoding))
    if (atOnce >= maxAtOnce) return done(null, bytes)
    atOnce++
    compressLater(bytes, encoding)
      .finally(() => atOnce--)
      .then(send, done)
  })
}
