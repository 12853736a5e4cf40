import type { Awaitable } from '../../base/awaitable.js'

/** Encoding a shorter text takes at most a millisecond. */
export const largeLength = 262_144

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Returns the end of the chunk at `start`, without splitting a surrogate pair. */
const endOfChunk = (text: string, start: number): number => {
  const end = start + largeLength
  return end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
}

/** Encodes a large text as UTF-8 in chunks, each in its own scheduler turn. */
export const encodeInTurns = async (text: string, turn: () => Awaitable<void>): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for (let start = 0; start < text.length; ) {
    await turn()
    const end = endOfChunk(text, start)
    chunks.push(Buffer.from(text.slice(start, end)))
    start = end
  }
  await turn()
  return Buffer.concat(chunks)
}
