import type { IncomingMessage } from 'node:http'

const maxReadBytes = 65_536
const maxKeptBytes = 1_024

const retryAfterMs = (header: string | undefined): number | null => {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now())
}

/** Text that the store can keep, whatever the bytes were. */
const keptText = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\ufffd').toWellFormed()

/**
 * Reads what is to be known of an answer. The status decides; of the body no more is taken than is kept and a little
 * to let the connection be used again. A longer or broken one is cut off.
 */
export const readResponse = (
  response: IncomingMessage,
): Promise<{ status: number; body: string; error: null; retryAfterMs: number | null }> =>
  new Promise((resolve) => {
    const kept: Buffer[] = []
    let keptBytes = 0
    let readBytes = 0
    const settle = (): void => {
      resolve({
        status: response.statusCode ?? 0,
        body: keptText(Buffer.concat(kept)),
        error: null,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
      })
    }
    response.on('data', (chunk: Buffer) => {
      readBytes += chunk.length
      const wanted = chunk.subarray(0, maxKeptBytes - keptBytes)
      keptBytes += wanted.length
      if (wanted.length > 0) kept.push(wanted)
      if (readBytes <= maxReadBytes) return
      settle()
      response.destroy()
    })
    response.on('error', settle)
    response.on('close', settle)
    response.on('end', settle)
  })
