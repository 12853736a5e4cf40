import { type ErrorDetail, invalid } from '../../base/errors.js'
import { metadataProblem } from '../fields/metadata.js'
import { type ReadText, readLabels, readTime, readTitle, withoutDuplicates } from '../fields/readers.js'
import { checkKey } from './key.js'
import { type KnowledgePatch, maxItemTitle } from './schema.js'

type Input = Omit<KnowledgePatch, 'content'>

/** What a change sets; a list that is cleared is empty. */
export type SettableFields = Omit<Input, 'tags' | 'supersedes'> & { tags?: string[]; supersedes?: string[] }

/** The fields of an input in the form they are stored in. */
export const readFields = (input: Input): SettableFields => {
  const { title, tags, metadata, source, validUntil, supersedes } = input
  const problems: ErrorDetail[] = []
  const textOf = (path: string, text: string | null | undefined, read: ReadText) =>
    typeof text === 'string' ? read(text, (message) => problems.push({ path, message })) : text
  const fields: SettableFields = {
    ...(title !== undefined && { title: textOf('title', title, readTitle(maxItemTitle))! }),
    ...(tags !== undefined && {
      tags: readLabels(tags ?? [], (message, index) => problems.push({ path: `tags.${index}`, message })),
    }),
    ...(metadata !== undefined && { metadata }),
    ...(source !== undefined && { source }),
    ...(validUntil !== undefined && { validUntil: textOf('validUntil', validUntil, readTime)! }),
    ...(supersedes !== undefined && { supersedes: withoutDuplicates(supersedes ?? [], () => undefined) }),
  }
  const tooLarge = metadata && metadataProblem(metadata)
  if (tooLarge) problems.push(tooLarge)
  if (problems.length > 0) throw invalid(...problems)
  for (const [at, key] of (supersedes ?? []).entries()) checkKey(key, `supersedes.${at}`)
  return fields
}
