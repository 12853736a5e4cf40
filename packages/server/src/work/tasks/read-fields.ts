import type { ErrorDetail } from '../../base/errors.js'
import { metadataProblem } from '../fields/metadata.js'
import { taskRecord } from './fields.js'
import type { NewTask, TaskPatch } from './schema.js'

/** Returns the fields of a request in the form in which they are stored, and their problems. */
export const readFields = <T extends NewTask | TaskPatch>(input: T): [fields: T, problems: ErrorDetail[]] => {
  const [fields, problems] = taskRecord.read(input)
  const tooLarge = input.metadata && metadataProblem(input.metadata)
  return [fields as T, tooLarge ? [...problems, tooLarge] : problems]
}
