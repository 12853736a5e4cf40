import { isoTime } from '../../base/clock.js'
import { parseMoment } from '../../base/dates.js'
import type { ErrorDetail } from '../../base/errors.js'
import { characterCount, utf8Length } from '../../base/text.js'
import {
  maxDescriptionBytes,
  maxMetadataBytes,
  maxTitleCharacters,
  type NewTask,
  type Task,
  type TaskPatch,
} from './schema.js'

const cleanLabels = (labels: string[], problems: ErrorDetail[]): string[] => {
  const trimmed = labels.map((label) => label.trim())
  for (const [at, label] of trimmed.entries()) {
    if (label === '') problems.push({ path: `labels.${at}`, message: 'must not be empty' })
  }
  return [...new Set(trimmed)]
}

/** What is wrong with the size of a task's metadata, if anything. */
export const metadataProblem = (metadata: Task['metadata']): ErrorDetail | undefined =>
  utf8Length(JSON.stringify(metadata)) > maxMetadataBytes
    ? { path: 'metadata', message: 'must have at most 16 KiB of JSON' }
    : undefined

/** The writable fields in the form they are kept in, and what is wrong with them. */
export const readFields = <T extends NewTask | TaskPatch>(input: T): [clean: T, problems: ErrorDetail[]] => {
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
    else {
      problems.push({ path: 'dueDate', message: 'must be a valid date (2026-01-31), or a timestamp with a time zone' })
    }
  }
  if (typeof input.notBefore === 'string') {
    const moment = parseMoment(input.notBefore)
    if (moment) clean.notBefore = isoTime(moment.ms)
    else problems.push({ path: 'notBefore', message: 'must be a timestamp with a time zone, or a valid date' })
  }
  if (input.blockedBy !== undefined) clean.blockedBy = [...new Set(input.blockedBy)]
  const tooLarge = input.metadata && metadataProblem(input.metadata)
  if (tooLarge) problems.push(tooLarge)
  return [clean, problems]
}
