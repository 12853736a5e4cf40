import { parseMoment } from '../dates.js'
import { type ErrorDetail, invalid } from '../errors.js'
import { characterCount, utf8Length } from '../text.js'
import { maxDescriptionBytes, maxTitleCharacters, type NewTask, type TaskPatch } from './schema.js'

const cleanLabels = (labels: string[], problems: ErrorDetail[]): string[] => {
  const trimmed = labels.map((label) => label.trim())
  for (const [at, label] of trimmed.entries()) {
    if (label === '') problems.push({ path: `labels.${at}`, message: 'must not be empty' })
  }
  return [...new Set(trimmed)]
}

/** Brings the writable fields into the form they are kept in, or names every one that cannot be. */
export const cleanFields = <T extends NewTask | TaskPatch>(input: T): T => {
  const problems: ErrorDetail[] = []
  const clean = { ...input }
  if (input.title !== undefined) {
    clean.title = input.title.trim()
    const length = characterCount(clean.title)
    if (length === 0) problems.push({ path: 'title', message: 'must not be empty' })
    if (length > maxTitleCharacters) {
      problems.push({ path: 'title', message: `must have at most ${maxTitleCharacters} characters, not ${length}` })
    }
  }
  if (input.description !== undefined && utf8Length(input.description) > maxDescriptionBytes) {
    problems.push({ path: 'description', message: 'must have at most 64 KiB of UTF-8' })
  }
  if (input.labels !== undefined) clean.labels = cleanLabels(input.labels, problems)
  if (typeof input.dueDate === 'string') {
    const moment = parseMoment(input.dueDate)
    if (moment) clean.dueDate = moment.text
    else problems.push({ path: 'dueDate', message: 'must be a real date (2026-01-31) or a timestamp with its zone' })
  }
  if (problems.length > 0) throw invalid(...problems)
  return clean
}
