import type { AppError, ErrorDetail } from '../base/errors.js'
import type { OperationCall } from '../operations/operation.js'
import type { Claim } from '../work/tasks/claims/schema.js'
import { mcpSentences } from './error-sentences.js'
import { excerpt } from './text/text.js'

/** What the arguments of tools are called, by the fields that they become. */
const argumentNames: Readonly<Record<string, string>> = {
  projectId: 'project',
  assigneeId: 'assignee',
  blockedBy: 'blocked_by',
  parentId: 'parent',
  dueDate: 'due',
  label: 'labels',
  body: 'text',
  option: 'text',
  comment: 'summary',
  q: 'query',
}

const argumentName = (path: string): string =>
  path
    .split('.')
    .map((segment) => argumentNames[segment] ?? segment)
    .join('.')

/** A message may begin with the name of what it is about. */
const problemText = (name: string, message: string): string =>
  excerpt(message.startsWith(`${name} `) ? message : `${name} ${message}`)

const maxProblems = 10
const maxMessageLength = 600

/** What paths of details name: the fields of records, or the arguments as they were sent. */
type Naming = 'fields' | 'arguments'

const problemsText = (details: readonly ErrorDetail[], naming: Naming): string => {
  const named = details.slice(0, maxProblems)
  const nameOf = naming === 'fields' ? argumentName : (path: string) => path
  const problems = named.map(({ path, message }) => problemText(excerpt(nameOf(path)) || 'arguments', message))
  const rest = details.length > named.length ? `; and ${details.length - named.length} more` : ''
  const text = `Invalid arguments: ${problems.join('; ')}${rest}`
  return text.endsWith('?') ? text : `${text}.`
}

/** Returns the message of an error, and limits the length of anything that it quotes from the request. */
const messageOf = ({ message, params: { details } }: AppError, naming: Naming): string =>
  details ? problemsText(details, naming) : excerpt(message, maxMessageLength)

const sentenceOf = async (call: OperationCall, { reason, params }: AppError): Promise<string> => {
  const sentence = mcpSentences[reason]
  return typeof sentence === 'function' ? sentence(params, call) : (sentence ?? '')
}

/** Whether the caller's own key holds the claim, in which case waiting for its end would be the wrong advice. */
const holdsClaim = ({ actor }: OperationCall, { params }: AppError): boolean =>
  (params.claim as Claim | undefined)?.keyId === actor.keyId

/** Returns an error as one line that says what to do next, because a model does not read the HTTP status. */
export const errorLine = async (call: OperationCall, error: AppError, naming: Naming = 'fields'): Promise<string> => {
  const { retryAfter } = error.params
  const sentence = await sentenceOf(call, error).catch(() => '')
  const wait = retryAfter === undefined || holdsClaim(call, error) ? '' : ` (retry in ${retryAfter} s)`
  const line = [messageOf(error, naming), sentence].filter(Boolean).join(' ')
  return `${error.code}: ${line}${wait}`.replaceAll(/\s*\n\s*/g, ' ')
}
