import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, brotliDecompressSync, constants } from 'node:zlib'

/** The versions as lines, which no JSON breaks, compressed with Brotli. */
export const packFormat = 1

/** A window that reaches over all of a pack: each version is told by what differs from the one before. */
const windowBits = 24

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

/** Off the event loop, as Node's compression is. */
export const packed = (versions: readonly string[]): Promise<Buffer> =>
  compress(Buffer.from(versions.join('\n')), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: windowBits },
  })

/** A pack has at most this many bytes before it is compressed, so that a transaction can decompress it. */
export const maxPackBytes = 4_194_304

const requireFormat = (format: number): void => {
  if (format !== packFormat) throw new Error(`unknown format ${format} of packed versions`)
}

export const unpacked = async (format: number, data: Uint8Array): Promise<string[]> => {
  requireFormat(format)
  return (await decompress(data)).toString('utf8').split('\n')
}

/** Unpacks synchronously for use in a transaction, because a writer must not wait for the thread pool. */
export const unpackedSync = (format: number, data: Uint8Array): string[] => {
  requireFormat(format)
  return brotliDecompressSync(data).toString('utf8').split('\n')
}
