import { invalid } from '../../base/errors.js'
import { metadataProblem } from '../fields/metadata.js'
import { itemRecord } from './fields.js'
import type { KnowledgePatch } from './schema.js'

/** Returns the fields of a request in the form that is stored; the metadata is yet to be merged. */
export const readFields = (input: Omit<KnowledgePatch, 'content'>) => {
  const [fields, problems] = itemRecord.read(input)
  const tooLarge = input.metadata && metadataProblem(input.metadata)
  if (tooLarge) problems.push(tooLarge)
  if (problems.length > 0) throw invalid(...problems)
  return fields
}

export type SettableFields = ReturnType<typeof readFields>
