import { metadataProblem } from '../fields/metadata.js'
import { itemRecord } from './fields.js'
import type { KnowledgePatch } from './schema.js'

/** Returns the fields of a request as they are stored, except that metadata is not merged yet, and their problems. */
export const readFields = (input: Omit<KnowledgePatch, 'content'>) => {
  const [fields, problems] = itemRecord.read(input)
  const tooLarge = input.metadata && metadataProblem(input.metadata)
  return [fields, tooLarge ? [...problems, tooLarge] : problems] as const
}

export type SettableFields = ReturnType<typeof readFields>[0]
