import { type Static, Type } from 'typebox'
import { type ErrorDetail, invalid } from '../../base/errors.js'
import { utf8Length } from '../../base/text.js'

const maxMetadataBytes = 16_384

export const Metadata = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
  description: 'Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key.',
  examples: [{ branch: 'fix/login' }],
})
type Metadata = Static<typeof Metadata>

/** What is wrong with the size of metadata, if anything. */
export const metadataProblem = (metadata: Metadata): ErrorDetail | undefined =>
  utf8Length(JSON.stringify(metadata)) > maxMetadataBytes
    ? { path: 'metadata', message: 'must have at most 16 KiB of JSON' }
    : undefined

/** The metadata of a record after an update. */
export const mergedMetadata = (before: Metadata, patch: Metadata | undefined): Metadata => {
  if (patch === undefined) return before
  const merged = { ...before, ...patch }
  for (const [name, value] of Object.entries(patch)) if (value === null) delete merged[name]
  const problem = metadataProblem(merged)
  if (problem) throw invalid({ ...problem, message: `${problem.message}, together with what is there already` })
  return merged
}
