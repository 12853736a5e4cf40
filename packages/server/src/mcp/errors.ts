import type { AppError, ErrorDetail } from '../base/errors.js'
import type { OperationCall } from '../operations/operation.js'
import type { Check } from '../work/tasks/checks/schema.js'
import type { Claim } from '../work/tasks/claims/schema.js'
import { ownProjectKeys, projectKeys } from './projects.js'
import { missingChecksText } from './text/checks.js'
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
  return `Invalid arguments: ${problems.join('; ')}${rest}.`
    .replace(/\?\.$/, '?')
    .replaceAll('nextCursor', 'the cursor')
}

/** The message in the words of this interface. What it repeats of the request is bounded here, for all errors. */
const messageOf = ({ code, message, extras }: AppError, naming: Naming): string => {
  const { details, currentVersion, see, reason, checks } = extras
  if (details) return problemsText(details, naming)
  if (reason === 'checks') return `${/^.*? yet\./.exec(message)?.[0]} ${missingChecksText(checks as Check[])}`
  if (typeof currentVersion === 'number') {
    return `It is at version ${currentVersion} now. Read it again, apply your change to it and send that version.`
  }
  if (currentVersion === null) return 'It does not exist, so no version of it matches. Leave version out to create it.'
  // The code says that a limit was exceeded, and the end of the line how long to wait.
  if (code === 'RATE_LIMIT_EXCEEDED') {
    return message.replace(/^Rate limit exceeded: the/, 'The').replace(/ Try again in \d+ seconds?\.$/, '')
  }
  // The hint names the tool that lists.
  if (code === 'NOT_FOUND' && see) return excerpt(message.replace(/ Check the identifier, .*$/, ''), maxMessageLength)
  const said = message
    .replaceAll('projectId', 'project')
    .replace('Set the task to in_review', 'End with finish_task, outcome review,')
  return excerpt(said, maxMessageLength)
}

const hintOf = async (call: OperationCall, { code, extras: { see, hint, candidates } }: AppError): Promise<string> => {
  if (code === 'RATE_LIMIT_EXCEEDED') return 'Wait, or ask the operator for a larger plan.'
  if (Array.isArray(candidates)) return `Projects with it: ${(await projectKeys(call, candidates)).join(', ')}.`
  switch (see) {
    case 'me':
    case 'projects':
      return `Projects of this key: ${(await ownProjectKeys(call)).join(', ') || 'none'}.`
    case 'users':
      return 'get_task shows the id of an assignee.'
    case 'tasks':
      return 'list_tasks lists them.'
    case 'knowledge':
      return [hint, 'list_knowledge lists the keys.'].filter(Boolean).join(' ')
    case 'claim':
      return 'Send its token as claim.'
    case 'holder':
      return 'add_comment reaches its holder.'
    default:
      return hint ?? ''
  }
}

/** Where the caller's own key holds the claim, waiting for its end is the wrong advice. */
const holdsClaim = ({ actor }: OperationCall, { extras }: AppError): boolean =>
  (extras.claim as Claim | undefined)?.keyId === actor.keyId

/** An error as one line that says what to do next: a model does not read the status of HTTP. */
export const errorLine = async (call: OperationCall, error: AppError, naming: Naming = 'fields'): Promise<string> => {
  const { retryAfter } = error.extras
  const hint = await hintOf(call, error).catch(() => '')
  const wait = retryAfter === undefined || holdsClaim(call, error) ? '' : ` (retry in ${retryAfter} s)`
  return `${error.code}: ${[messageOf(error, naming), hint].filter(Boolean).join(' ')}${wait}`.replaceAll(
    /\s*\n\s*/g,
    ' ',
  )
}
