import { type ApiError, ConflictError } from 'worklore-client'
import { fieldOptions } from './commands/task-fields.js'
import { projectFlag } from './settings.js'

/** What the service says to programs, as a user of `wl` would do it; an empty text leaves a sentence out. */
const phrases: readonly (readonly [said: RegExp, instead: string])[] = [
  [/Send the token in the Worklore-Claim header\./, 'Name the claim with --claim-token TOKEN.'],
  [/Send the request without If-Match to create it\./, 'Leave out --if-version to create it.'],
  [
    /Read it again, reapply your change and send that version in If-Match\./,
    'Look at it again, then repeat the change.',
  ],
  [/GET \/v1\/me lists the projects of this key\./, 'wl whoami lists the projects of this key.'],
  [/GET \/v1\/me shows all quotas\./, 'wl usage shows all quotas.'],
  [/GET \/v1\/projects lists the projects\./, 'wl projects lists the projects.'],
  [/Repeat the request with \?force=true\./, 'Repeat it with --force.'],
  [/(Delete them first, or )(?:use force|delete it by force)\./, '$1add --force.'],
  [/Wait retryAfter seconds, or ask/, 'Wait, or ask'],
  [/Read the records again, then continue with after=\d+\./, ''],
  [/Enable it first: PATCH it with \{"active": true\}\./, 'Enable it first: wl webhooks enable ID.'],
  [/The first request with this Idempotency-Key is still running\./, 'The same command is still running.'],
  [/Set projectId to one of (them|its projects)\./, 'Name one of $1 with -p.'],
  [/It is tenant-wide: leave projectId out\./, 'It is of the whole tenant: use --tenant.'],
  [/Set keyId to one of them\./, 'Name one of them with --key.'],
  [/Set expiresAt to (\S+) or earlier/, 'Use --expires $1 or earlier'],
  [/Set allowedAddresses to addresses within/, 'Use --address with addresses within'],
  [/its allowedAddresses\b/, 'its allowed addresses'],
  [/Use includeConflicts to (delete them|undo it) too\./, 'Add --include-conflicts to $1 too.'],
  [/the externalId\b/, 'the external id'],
  [/\bset takeover to replace\b/, 'add --takeover to replace'],
  [/Set the task to in_review and go on/, 'Hand it in with wl submit, and go on'],
]

/** Whatever else names a header, a route or a parameter tells a user of `wl` nothing. */
const forPrograms =
  /\b(?:GET|POST|PUT|PATCH|DELETE) \/|\/v1\/|\bheaders?\b|\b(?:If-(?:None-)?Match|Worklore-Claim|Idempotency-Key|Authorization)\b|\?\w+=/

const sentences = /(?<=[.?!]) (?=[A-Z"])/

/** A text of the service, in the words of the command line. */
export const inWords = (text: string): string => {
  let said = text
  for (const [phrase, instead] of phrases) said = said.replace(phrase, instead)
  return said
    .split(sentences)
    .filter((sentence) => !forPrograms.test(sentence))
    .join(' ')
    .trim()
}

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

type Missing = NonNullable<ConflictError['checks']>[number]

const deciders: Readonly<Record<Missing['verifier'], string>> = {
  anyone: 'pass it with wl check',
  other: 'hand it in with wl submit, for someone who did not work on it to decide',
  human: 'hand it in with wl submit, for a person to decide',
}

const missingCheck = ({ id, text, verifier, state }: Missing): string =>
  `${id} ${JSON.stringify(text)} ${state === 'failed' ? 'failed: fix it, then' : 'is open:'} ${deciders[verifier]}.`

/** A message about the project, which may be set by something else than the flag. */
const ofProject = (message: string, source: string): string => {
  if (!message.startsWith('project "')) return `${source} ${message}`
  const said = message.replace(/^p/, 'P')
  return source === projectFlag ? said : `${said} (set by ${source})`
}

/** What an answer says, in the words of the command line. */
export const wordsOf = (error: ApiError, projectSource: string = projectFlag): string => {
  const { code, message, hint, details, requestId } = error
  if (error instanceof ConflictError && error.checks) {
    return [/^.*? yet\./.exec(message)?.[0] ?? 'It cannot be done yet.', ...error.checks.map(missingCheck)].join(' ')
  }
  if (code === 'VALIDATION_ERROR' && details.length > 0) {
    const problems = details.map(({ path, message }) =>
      /^projectId\b/.test(path) ? ofProject(message, projectSource) : `${optionOf(path)} ${message}`,
    )
    return `${problems.join('; ')}.`
  }
  const said = [inWords(message) || `The server refused it: ${code}.`, inWords(hint ?? '')].filter(Boolean)
  return said.join(' ').replace(/report the requestId\./, requestId ? `report the request ${requestId}.` : 'report it.')
}
