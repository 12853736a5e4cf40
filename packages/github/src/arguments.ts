import { parseArgs } from 'node:util'
import { CommandError, exitUnauthorized, usageError } from './exit-codes.js'
import type { Direction } from './sync/context.js'

/** What a command line asks for. */
export interface Arguments {
  owner: string
  repo: string
  project: string
  url: string
  key: string
  token: string
  githubUrl: string
  isWatch: boolean
  isFull: boolean
  isDryRun: boolean
  isJson: boolean
  isQuiet: boolean
  direction: Direction
  labels: string[]
  people: Map<string, string>
  onMerge: string | undefined
  formerName: string | undefined
  withDeletions: boolean
  intervalMs: number
  webhook: { host: string; port: number; secret: string } | undefined
}

export const help = `Usage: wl-github sync OWNER/REPO --project ACME [options]

Keeps the issues of a GitHub repository and the tasks of a Worklore project in step.

  --project, -p PROJECT     The project; WORKLORE_PROJECT if not given
  --once                    Bring both sides in step and end (the default)
  --watch                   Go on until Ctrl-C
  --interval SECONDS        With --watch: how often GitHub is asked; 60 if not given
  --direction both|in|out   in: from GitHub only; out: to GitHub only
  --label LABEL             Link only issues and tasks with this label; may be repeated
  --user LOGIN=HANDLE       The Worklore user of a GitHub account whose handle differs from its login; may be repeated
  --on-merge STATUS         Give tasks this status when a pull request that closes them is merged
  --delete                  Carry deletions over to the other side
  --full                    Compare everything, not only what changed
  --renamed-from OWNER/REPO The former name of a repository that was renamed: its tasks are linked to the new one
  --dry-run                 Print what would be done, and do nothing
  --webhook-port PORT       With --watch: take GitHub's webhooks on this port; GITHUB_WEBHOOK_SECRET is their secret
  --webhook-host HOST       Listen on this address; 127.0.0.1 if not given
  --url URL                 The Worklore server; WORKLORE_URL if not given
  --json                    Print one line of JSON for each action, and one for the summary
  --quiet, -q               Print the summary only
  --help, -h                Print this

GITHUB_TOKEN (or GH_TOKEN) and WORKLORE_KEY are the credentials. GITHUB_API_URL names a GitHub Enterprise server.
`

const options = {
  project: { type: 'string', short: 'p' },
  once: { type: 'boolean' },
  watch: { type: 'boolean' },
  interval: { type: 'string' },
  direction: { type: 'string' },
  label: { type: 'string', multiple: true },
  user: { type: 'string', multiple: true },
  'on-merge': { type: 'string' },
  delete: { type: 'boolean' },
  full: { type: 'boolean' },
  'renamed-from': { type: 'string' },
  'dry-run': { type: 'boolean' },
  'webhook-port': { type: 'string' },
  'webhook-host': { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  help: { type: 'boolean', short: 'h' },
} as const

const defaultUrl = 'http://127.0.0.1:8787'
const defaultGitHubUrl = 'https://api.github.com'
const minIntervalSeconds = 5

const directions = ['both', 'in', 'out'] as const

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw usageError(`${(error as Error).message.split(/\n|\. /)[0]}. Run wl-github --help for the options.`)
  }
}

const wholeNumber = (name: string, text: string, min: number, max: number): number => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < min || number > max)
    throw usageError(`--${name} must be a whole number from ${min} to ${max}.`)
  return number
}

const httpUrl = (name: string, text: string): string => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw usageError(`${name} must be an http or https URL, not "${text}".`)
  return text.replace(/\/+$/, '')
}

const required = (value: string | undefined, message: string): string => {
  if (!value) throw usageError(message)
  return value
}

const credential = (value: string | undefined, message: string): string => {
  if (!value) throw new CommandError(message, exitUnauthorized)
  return value
}

const repositoryNamed = (name: string | undefined, message: string): [owner: string, repo: string] => {
  const [, owner, repo] = /^([\w.-]+)\/([\w.-]+)$/.exec(name ?? '') ?? []
  if (!owner || !repo) throw usageError(message)
  return [owner, repo]
}

const labelsOf = (labels: readonly string[]): string[] => {
  if (labels.some((label) => label.trim() === '')) throw usageError('--label must not be empty.')
  return [...labels]
}

const peopleOf = (pairs: readonly string[]): Map<string, string> =>
  new Map(
    pairs.map((pair): [string, string] => {
      const [login, handle, ...rest] = pair.split('=')
      if (!login || !handle || rest.length > 0) throw usageError(`--user must be LOGIN=HANDLE, not "${pair}".`)
      return [login.toLowerCase(), handle.toLowerCase()]
    }),
  )

/** Undefined where only the help is asked for. */
export const readArguments = (args: readonly string[], env: NodeJS.ProcessEnv): Arguments | undefined => {
  const { values, positionals } = parse(args)
  if (values.help || positionals[0] === 'help' || args.length === 0) return undefined
  const [command, name, ...rest] = positionals
  if (command !== 'sync') throw usageError(`Unknown command "${command ?? ''}". Run wl-github --help.`)
  const one = 'Name one repository as OWNER/REPO, such as acme/site.'
  const [owner, repo] = repositoryNamed(rest.length > 0 ? undefined : name, one)
  const formerName = values['renamed-from']
  if (formerName !== undefined) repositoryNamed(formerName, `--renamed-from must be OWNER/REPO, not "${formerName}".`)
  if (values.once && values.watch) throw usageError('--once and --watch cannot be combined.')
  if (values.watch && values['dry-run']) throw usageError('--watch and --dry-run cannot be combined.')
  const direction = directions.find((each) => each === (values.direction ?? 'both'))
  if (!direction) throw usageError(`--direction must be one of ${directions.join(', ')}.`)
  const port = values['webhook-port']
  if (port !== undefined && !values.watch) throw usageError('--webhook-port needs --watch.')
  return {
    owner,
    repo,
    project: required(values.project ?? env.WORKLORE_PROJECT, 'Name the project with --project, such as ACME.'),
    url: httpUrl('--url', values.url ?? (env.WORKLORE_URL || defaultUrl)),
    key: credential(env.WORKLORE_KEY, 'Set WORKLORE_KEY to an API key of the Worklore server.'),
    token: credential(env.GITHUB_TOKEN || env.GH_TOKEN, 'Set GITHUB_TOKEN to a token of GitHub.'),
    githubUrl: httpUrl('GITHUB_API_URL', env.GITHUB_API_URL || defaultGitHubUrl),
    isWatch: values.watch === true,
    isFull: values.full === true,
    isDryRun: values['dry-run'] === true,
    isJson: values.json === true,
    isQuiet: values.quiet === true,
    direction,
    labels: labelsOf(values.label ?? []),
    people: peopleOf(values.user ?? []),
    onMerge: values['on-merge'],
    formerName,
    withDeletions: values.delete === true,
    intervalMs: wholeNumber('interval', values.interval ?? '60', minIntervalSeconds, 86_400) * 1_000,
    webhook:
      port === undefined
        ? undefined
        : {
            host: values['webhook-host'] ?? '127.0.0.1',
            port: wholeNumber('webhook-port', port, 0, 65_535),
            secret: required(
              env.GITHUB_WEBHOOK_SECRET,
              'Set GITHUB_WEBHOOK_SECRET to the secret of the webhook; deliveries without a signature are refused.',
            ),
          },
  }
}
