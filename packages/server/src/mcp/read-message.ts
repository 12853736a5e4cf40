import type { Awaitable } from '../base/awaitable.js'
import type { ErrorDetail } from '../base/errors.js'
import { readJson } from '../http/api/body.js'
import { emptiedAt } from '../http/api/json-shape.js'

/** What of a message may be unusable while the rest of it says who is to be told: the innermost first. */
const parts = [['params', 'arguments'], ['params']] as const

/** No content that can be stored makes a longer message; looking for its parts would take too long. */
const maxBytesEmptied = 2_097_152

export interface ReadMessage {
  readonly message: unknown
  /** What is wrong with a part of the message, which is empty therefore. */
  readonly problem?: ErrorDetail & { readonly part: 'arguments' | 'params' }
}

const isBatch = (bytes: Buffer): boolean => /^\s*\[/.test(bytes.toString('latin1', 0, 1_000))

const inside = (path: string, part: readonly string[]): string =>
  path.startsWith(`${part.join('.')}.`) ? path.slice(part.join('.').length + 1) : ''

/** Reads a message; one whose contents are refused keeps its id, so that the answer reaches whoever waits for it. */
export const readMessage = async (
  bytes: Buffer,
  turn: () => Awaitable<void>,
): Promise<ReadMessage | { unreadable: string }> => {
  const read = await readJson(bytes, turn)
  if ('value' in read) return { message: read.value }
  const { path, message, isJson } = read.problem
  if (!isJson) return { unreadable: message }
  if (isBatch(bytes)) return { message: [] }
  if (bytes.length > maxBytesEmptied) return { unreadable: message }
  for (const part of parts) {
    const rest = await readJson(emptiedAt(bytes, part), turn)
    if ('problem' in rest) continue
    return { message: rest.value, problem: { path: inside(path, part), message, part: part[part.length - 1]! } }
  }
  return { unreadable: message }
}
