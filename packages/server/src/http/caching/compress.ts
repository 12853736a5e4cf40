import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { Encoding } from './encodings.js'

/** For answers made once: about the speed of gzip, and smaller. */
const quickQuality = 4
/** For bytes that are compressed once and sent often. */
const thoroughQuality = 9

const brotliOptions = (quality: number, size: number) => ({
  chunkSize: 65_536,
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
})

const brotliLater = promisify(brotliCompress)
const gzipLater = promisify(gzip)

export const compressNow = (bytes: Buffer, encoding: Encoding): Buffer =>
  encoding === 'br'
    ? brotliCompressSync(bytes, brotliOptions(quickQuality, bytes.length))
    : gzipSync(bytes, { level: quickQuality })

/** On a thread of its own. */
export const compressLater = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br'
    ? brotliLater(bytes, brotliOptions(quickQuality, bytes.length))
    : gzipLater(bytes, { level: quickQuality, chunkSize: 65_536 })

export const compressThoroughly = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br'
    ? brotliLater(bytes, brotliOptions(thoroughQuality, bytes.length))
    : gzipLater(bytes, { level: thoroughQuality })
