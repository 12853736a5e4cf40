import { AppError } from '../base/errors.js'
import { nearestName } from '../base/nearest-name.js'
import type { OperationCall } from '../operations/operation.js'
import { listKnowledge } from '../work/knowledge/operations.js'
import { run } from './run.js'

/** As many keys of a folder as are looked at. */
const maxKeys = 200

/** How many letters of a key without a folder must be right. */
const sureLetters = 2

const keysIn = async (call: OperationCall, prefix: string): Promise<string[]> => {
  const { data } = await run(call, listKnowledge, { prefix, fields: 'key', limit: maxKeys })
  return data.map(({ key }) => key)
}

/** The key that was most likely meant: one of the same folder whose last segment is near. */
const nearestKey = async (call: OperationCall, key: string): Promise<string | undefined> => {
  const end = key.lastIndexOf('/') + 1
  const prefix = end > 0 ? key.slice(0, end) : key.slice(0, sureLetters)
  const keys = new Set(
    (await Promise.all([...new Set([prefix, prefix.toLowerCase()])].map((each) => keysIn(call, each)))).flat(),
  )
  const segments = new Map([...keys].map((each) => [each.slice(end), each]))
  const nearest = nearestName(key.slice(end), [...segments.keys()])
  return nearest === undefined ? undefined : segments.get(nearest)
}

/** Adds the nearest key to the error of a note that is not there. */
export const namingNearKey =
  (call: OperationCall, key: string) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof AppError) || error.params.record !== 'knowledge item') throw error
    const nearest = await nearestKey(call, key)
    if (nearest === undefined) throw error
    throw error.with({ nearest })
  }
