import type { ErrorDetail } from '../../base/errors.js'
import type { Report } from '../../base/record.js'
import { metadataProblem } from '../fields/metadata.js'
import { fieldNames, taskFields } from './fields.js'
import type { NewTask, TaskPatch } from './schema.js'

const isText = (value: unknown): value is string => typeof value === 'string'

const readers = fieldNames.flatMap((name) => {
  const { readText, readTexts } = taskFields[name]
  return readText || readTexts ? [{ name, readText, readTexts }] : []
})

/** The fields of an input in the form they are stored in, and what is wrong with them. Values of a wrong type stay. */
export const readFields = <T extends NewTask | TaskPatch>(input: T): [clean: T, problems: ErrorDetail[]] => {
  const problems: ErrorDetail[] = []
  const clean: Record<string, unknown> = { ...input }
  for (const { name, readText, readTexts } of readers) {
    const value: unknown = input[name]
    if (value === undefined || value === null) continue
    const report: Report = (message, path): void =>
      void problems.push({ path: path === undefined ? name : `${name}.${path}`, message })
    if (readText && isText(value)) clean[name] = readText(value, report)
    if (readTexts && Array.isArray(value) && value.every(isText)) clean[name] = readTexts(value, report)
  }
  const tooLarge = input.metadata && metadataProblem(input.metadata)
  if (tooLarge) problems.push(tooLarge)
  return [clean as T, problems]
}
