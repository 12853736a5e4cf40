import { type Cli, CommandError, checkUrl, exitUnauthorized, flag, text, texts, usageError } from '#command-line'
import type { Direction } from './sync/context.js'

/** Arguments of `sync`, without the global settings. */
export interface Arguments {
  owner: string
  repo: string
  project: string
  token: string
  githubUrl: string
  isWatch: boolean
  isFull: boolean
  isDryRun: boolean
  direction: Direction
  labels: string[]
  people: Map<string, string>
  onMerge: string | undefined
  formerName: string | undefined
  withDeletions: boolean
  intervalMs: number
  webhook: { host: string; port: number; secret: string } | undefined
}

export const options = {
  once: flag('Bring both sides in step and end (the default)'),
  watch: flag('Go on until Ctrl-C'),
  interval: text('SECONDS', 'With --watch: how often GitHub is asked; 60 if not given'),
  direction: text('DIRECTION', 'both, in (from GitHub only) or out (to GitHub only); both if not given'),
  label: texts('LABEL', 'Link only issues and tasks with this label; repeat it for several'),
  user: texts(
    'LOGIN=HANDLE',
    'The user of a GitHub account whose handle differs from its login; repeat it for several',
  ),
  'on-merge': text('STATUS', 'Give tasks this status when a pull request that closes them is merged'),
  delete: flag('Carry deletions over to the other side'),
  full: flag('Compare everything, not only what changed'),
  'renamed-from': text('OWNER/REPO', 'The former name of a repository that was renamed'),
  'dry-run': flag('Print what would be done, and do nothing'),
  'webhook-port': text('PORT', "With --watch: take GitHub's webhooks on this port"),
  'webhook-host': text('HOST', 'Listen on this address; 127.0.0.1 if not given'),
}

const defaultGitHubUrl = 'https://api.github.com'
const minIntervalSeconds = 5

const directions = ['both', 'in', 'out'] as const

const wholeNumber = (name: string, text: string, min: number, max: number): number => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < min || number > max)
    throw usageError(`--${name} must be a whole number from ${min} to ${max}.`)
  return number
}

const required = (value: string | undefined, message: string): string => {
  if (!value) throw usageError(message)
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

interface Values {
  once?: boolean | undefined
  watch?: boolean | undefined
  interval?: string | undefined
  direction?: string | undefined
  label?: string[] | undefined
  user?: string[] | undefined
  'on-merge'?: string | undefined
  delete?: boolean | undefined
  full?: boolean | undefined
  'renamed-from'?: string | undefined
  'dry-run'?: boolean | undefined
  'webhook-port'?: string | undefined
  'webhook-host'?: string | undefined
}

export const readArguments = (cli: Cli, values: Values, name: string, env: NodeJS.ProcessEnv): Arguments => {
  const [owner, repo] = repositoryNamed(name, 'Name one repository as OWNER/REPO, such as acme/site.')
  const formerName = values['renamed-from']
  if (formerName !== undefined) repositoryNamed(formerName, `--renamed-from must be OWNER/REPO, not "${formerName}".`)
  if (values.once && values.watch) throw usageError('--once and --watch cannot be combined.')
  if (values.watch && values['dry-run']) throw usageError('--watch and --dry-run cannot be combined.')
  const direction = directions.find((each) => each === (values.direction ?? 'both'))
  if (!direction) throw usageError(`--direction must be one of ${directions.join(', ')}.`)
  const port = values['webhook-port']
  if (port !== undefined && !values.watch) throw usageError('--webhook-port needs --watch.')
  const token = env.GITHUB_TOKEN || env.GH_TOKEN
  if (!token) throw new CommandError('Set GITHUB_TOKEN to a token of GitHub.', exitUnauthorized)
  return {
    owner,
    repo,
    project: required(cli.settings.project, 'Name the project with --project, such as ACME.'),
    token,
    githubUrl: checkUrl(env.GITHUB_API_URL || defaultGitHubUrl),
    isWatch: values.watch === true,
    isFull: values.full === true,
    isDryRun: values['dry-run'] === true,
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
