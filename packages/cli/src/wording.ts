import type { ApiError } from 'worklore-client'
import { fieldOptions } from './commands/task-fields.js'
import { sentenceOf } from './error-sentences.js'
import { projectFlag } from './settings.js'

/** What `wl` calls the fields of requests, where no option has the name of a task's field. */
const options: Readonly<Record<string, string>> = {
  assigneeId: '--assignee',
  assignee: '--assignee',
  allowedAddresses: '--address',
  blockedBy: 'the blocker',
  body: 'the text',
  checks: '--check',
  content: 'the text',
  dueBefore: '--due-before',
  dueDate: '--due',
  events: '--event',
  evidence: '--evidence',
  expiresAt: '--expires',
  from: 'KEY',
  label: '--label',
  labels: '--label',
  leaseSeconds: '--lease',
  limit: '--limit',
  maxAttempts: '--max-attempts',
  name: '--name',
  note: '--note',
  options: '--option',
  overlapSeconds: '--overlap',
  parentId: '--parent',
  projectIds: '--limit-to',
  q: 'the query',
  reason: '--reason',
  scopes: '--scope',
  sort: '--sort',
  source: '--source',
  state: '--state',
  supersedes: '--supersedes',
  tag: '--tag',
  tags: '--tag',
  to: 'NEW-KEY',
  trust: '--trust',
  types: '--type',
  updatedAfter: '--updated-since',
  userId: '--user',
  validUntil: '--valid-until',
  worker: '--worker',
}

const optionOf = (path: string): string => {
  const [field = ''] = path.split('.')
  if (field === '') return 'the request'
  const option = field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return options[field] ?? (option in fieldOptions ? `--${option}` : field)
}

type Detail = ApiError['details'][number]

/** Describes what is wrong with one field. For a project that was not set by the flag, it names `projectSource`. */
const problemOf = ({ path, message, record }: Detail, projectSource: string): string => {
  if (!/^projectId\b/.test(path)) return `${optionOf(path)} ${message}`
  if (record !== 'project') return `${projectSource} ${message}`
  const sentence = message.charAt(0).toUpperCase() + message.slice(1)
  return projectSource === projectFlag ? sentence : `${sentence} (set by ${projectSource})`
}

/** Returns what an error of the service says, in the words of the command line. */
export const wordsOf = (error: ApiError, projectSource: string = projectFlag): string => {
  const { code, details } = error
  if (code !== 'VALIDATION_ERROR' || details.length === 0) return sentenceOf(error)
  return `${details.map((detail) => problemOf(detail, projectSource)).join('; ')}.`
}
