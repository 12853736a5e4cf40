import type { FastifyRequest } from 'fastify'

/** So much of a body that is too large is read and forgotten, so that its sender comes to read the answer. */
const maxDiscardedBytes = 67_108_864

export const isTooLarge = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'FST_ERR_CTP_BODY_TOO_LARGE'

/** A connection that is closed before its body was read is reset, and the answer is lost with it. */
export const discardBody = ({ raw }: FastifyRequest): Promise<void> =>
  new Promise((resolve) => {
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxDiscardedBytes) resolve()
    })
    raw.once('end', resolve)
    raw.once('close', resolve)
    raw.resume()
  })
