import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseRange } from './base/address-ranges.js'
import {
  isLoopbackUrl,
  issuerOf,
  loadIssuers,
  type OidcIssuer,
  parseDomains,
  parseIssuer,
} from './base/oidc-settings.js'
import { urlsOfHosts } from './base/postgres-urls.js'
import { isPlausibleSecret } from './base/secret.js'
import { parseSecretKeys } from './base/secret-key.js'
import { loadPlans } from './limits/plans.js'

/** Of this package: the modules are two folders below it, bundled or not. */
export const packageFolder = new URL('../../', import.meta.url)

export const { version } = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8')) as {
  version: string
}

export interface Config {
  host: string
  port: number
  dataDir: string
  databaseUrl: string | undefined
  listenUrl: string | undefined
  poolSize: number
  /** `auto`: as many as the machine has cores. */
  processes: number | 'auto'
  logLevel: string
  trustProxy: boolean | string | ((address: string, hop: number) => boolean)
  adminKey: string | undefined
  plan: string | undefined
  plansFile: string | undefined
  bodyLimitBytes: number
  maxConnections: number
  maxConnectionsPerAddress: number
  /** How long requests are still accepted after SIGTERM; undefined where it depends on the host. */
  drainSeconds: number | undefined
  metricsToken: string | undefined
  corsOrigins: readonly string[]
  searchMemoryBytes: number
  /** `local`, `off`, or the address of an endpoint. */
  embeddings: string
  embeddingsModel: string | undefined
  embeddingsKey: string | undefined
  embeddingThreads: number
  eventRetentionDays: number
  historyDays: number
  trashDays: number
  webhookAllow: readonly string[]
  secretKey: string | undefined
  /** The origin that browsers know the service by. */
  publicUrl: string | undefined
  oidcIssuer: string | undefined
  oidcClientId: string | undefined
  oidcClientSecret: string | undefined
  oidcDomains: readonly string[]
  /** Of the file. */
  oidcIssuers: readonly OidcIssuer[]
}

interface Setting<T> {
  name: string
  /** Read where the setting is not set under its name. */
  formerName?: string
  about: string
  /** As the README shows it; empty where there is none. */
  fallback: string
  /** Whether answers depend on it. Such a setting is the same on every node, and no secret. */
  shapesAnswers?: boolean
  parse(text: string): T
}

const text = (value: string): string => value
const optional = (value: string): string | undefined => (value === '' ? undefined : value)

const integer =
  (minimum: number, maximum: number) =>
  (value: string): number => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < minimum || number > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`)
    }
    return number
  }

const oneOf =
  (...known: string[]) =>
  (value: string): string => {
    if (!known.includes(value)) throw new Error(`must be one of ${known.join(', ')}`)
    return value
  }

const databaseUrl = (value: string): string | undefined => {
  if (value === '') return undefined
  urlsOfHosts(value)
  if (/%(?![0-9a-f]{2})/i.test(value)) throw new Error('contains a "%" that must be written as "%25"')
  return value
}

const adminKey = (value: string): string | undefined => {
  if (value === '') return undefined
  if (!/^[\x21-\x7e]{32,512}$/.test(value))
    throw new Error('must be 32 to 512 printable ASCII characters without spaces')
  if (!isPlausibleSecret(value)) throw new Error('looks like a truncated Worklore key')
  return value
}

const plansFile = (value: string): string | undefined => {
  if (value === '') return undefined
  loadPlans(value)
  return value
}

/** The plan may be one of the plans file, so it is checked when both are read. */
const planProblem = ({ plan, plansFile }: Partial<Config>): string | undefined => {
  const plans = loadPlans(plansFile)
  if (plan === undefined || plans.has(plan)) return undefined
  return `WORKLORE_PLAN must be one of ${[...plans.keys()].join(', ')}, not "${plan}"`
}

const isProxy = (value: string): boolean => {
  const [address = '', bits, ...more] = value.trim().split('/')
  if (['loopback', 'linklocal', 'uniquelocal'].includes(value.trim())) return true
  return isIP(address) > 0 && more.length === 0 && (bits === undefined || /^\d{1,3}$/.test(bits) || isIP(bits) > 0)
}

const trustProxy = (value: string): Config['trustProxy'] => {
  if (value === '' || value === 'false') return false
  if (value === 'true') return true
  if (!/^\d+$/.test(value)) {
    if (!value.split(',').every(isProxy))
      throw new Error('must be true, false, a number of hops, or a list of proxy addresses')
    return value
  }
  const hops = Number(value)
  return (_address, hop) => hop < hops
}

const embeddings = (value: string): string => {
  if (value === 'local' || value === 'off') return value
  const isAddress = /^https?:\/\//.test(value) && URL.canParse(value)
  if (!isAddress || new URL(value).username || new URL(value).password) {
    throw new Error('must be local, off or the http(s) URL of an OpenAI-compatible endpoint, without credentials')
  }
  return value
}

const origins = (value: string): string[] => {
  const list = value.split(',').map((origin) => origin.trim())
  const named = list.filter((origin) => origin !== '')
  const wrong = named.find((origin) => origin !== '*' && (!URL.canParse(origin) || new URL(origin).origin !== origin))
  if (wrong !== undefined) throw new Error(`must list origins such as https://app.example.com, or *; not "${wrong}"`)
  return named
}

const addressRanges = (value: string): string[] => {
  const ranges = value.split(',').flatMap((part) => part.trim() || [])
  const wrong = ranges.filter((range) => !parseRange(range))
  if (wrong.length > 0) throw new Error(`must list ranges such as 10.0.0.0/8, not ${wrong.join(', ')}`)
  return ranges
}

const secretKey = (value: string): string | undefined => {
  if (value === '') return undefined
  parseSecretKeys(value)
  return value
}

const publicUrl = (value: string): string | undefined => {
  if (value === '') return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isAllowed = url !== undefined && (url.protocol === 'https:' || isLoopbackUrl(url))
  if (!isAllowed || url.origin !== value.replace(/\/$/, '')) {
    throw new Error('must be an https:// address without a path, such as https://worklore.example.com')
  }
  return url.origin
}

const megabytes = (value: string): number => integer(16, 65_536)(value) * 1_048_576

export const settings: { [K in keyof Config]: Setting<Config[K]> } = {
  host: { name: 'HOST', about: 'Address to listen on', fallback: '127.0.0.1', parse: text },
  port: { name: 'PORT', about: 'Port to listen on; 0 for any free port', fallback: '8787', parse: integer(0, 65_535) },
  dataDir: {
    name: 'WORKLORE_DATA',
    about: 'Folder of the embedded database',
    fallback: './data',
    parse: (value) => resolve(value),
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    about:
      'PostgreSQL URL (`postgres://…`), with several hosts if they fail over; used instead of the embedded database, by any number of nodes',
    fallback: '',
    parse: databaseUrl,
  },
  listenUrl: {
    name: 'WORKLORE_LISTEN_URL',
    about:
      'PostgreSQL URL for notifications between nodes, the same on all; needed behind a pooler, and where their `DATABASE_URL` differ',
    fallback: '',
    parse: databaseUrl,
  },
  poolSize: {
    name: 'WORKLORE_POOL_SIZE',
    about: 'PostgreSQL connections of each process',
    fallback: '10',
    parse: integer(2, 500),
  },
  processes: {
    name: 'WORKLORE_PROCESSES',
    about:
      'Processes that serve behind the port, each a node of its own; `auto` for one per core; 1 without `DATABASE_URL`',
    fallback: '1',
    parse: (value) => (value === 'auto' ? value : integer(1, 256)(value)),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    about: 'fatal, error, warn, info, debug (a line for each request), trace or silent',
    fallback: 'info',
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    about:
      'Take the client address from X-Forwarded-For: proxy addresses, a number of hops, or true (trust any sender)',
    fallback: 'false',
    parse: trustProxy,
  },
  adminKey: {
    name: 'WORKLORE_ADMIN_KEY',
    about: 'The first admin key, at least 32 characters; used only on first start',
    fallback: '',
    parse: adminKey,
  },
  plan: {
    name: 'WORKLORE_PLAN',
    about: 'Plan of the first tenant, only on first start; if not set, `self-hosted` on a loopback HOST, else `free`',
    fallback: '',
    parse: optional,
  },
  plansFile: {
    name: 'WORKLORE_PLANS',
    about: 'JSON file that adds or changes plans',
    fallback: '',
    parse: plansFile,
  },
  bodyLimitBytes: {
    name: 'WORKLORE_BODY_LIMIT',
    about: 'Largest request body in bytes',
    fallback: '2097152',
    parse: integer(1_024, 104_857_600),
  },
  maxConnections: {
    name: 'WORKLORE_CONNECTIONS',
    about: 'Maximum number of connections; lower if the system allows fewer open files',
    fallback: '20000',
    parse: integer(10, 1_000_000),
  },
  maxConnectionsPerAddress: {
    name: 'WORKLORE_CONNECTIONS_PER_ADDRESS',
    about: 'Maximum number of connections from one address, at most half of all; not applied if TRUST_PROXY is set',
    fallback: '4000',
    parse: integer(5, 1_000_000),
  },
  drainSeconds: {
    name: 'WORKLORE_DRAIN_SECONDS',
    about:
      'Seconds after SIGTERM in which requests are still accepted, while `/readyz` is 503; if not set, 0 on a loopback HOST, else 5',
    fallback: '',
    parse: (value) => (value === '' ? undefined : integer(0, 3_600)(value)),
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    about: 'Bearer token for `/metrics`; if not set, `/metrics` is open on a loopback HOST and closed on any other',
    fallback: '',
    parse: optional,
  },
  corsOrigins: {
    name: 'WORKLORE_CORS_ORIGINS',
    about: 'Origins that may call the API from a browser, separated by commas; none if not set',
    fallback: '',
    parse: origins,
  },
  searchMemoryBytes: {
    name: 'WORKLORE_SEARCH_MEMORY',
    about: 'Memory for the search indexes of all tenants, in MB',
    fallback: '512',
    parse: megabytes,
  },
  embeddings: {
    name: 'WORKLORE_EMBEDDINGS',
    about: 'Semantic search: `local`, `off`, or the URL of an OpenAI-compatible endpoint (`https://…/v1`)',
    fallback: 'local',
    parse: embeddings,
  },
  embeddingsModel: {
    name: 'WORKLORE_EMBEDDINGS_MODEL',
    about: 'Model to use at that endpoint',
    fallback: '',
    parse: optional,
  },
  embeddingsKey: {
    name: 'WORKLORE_EMBEDDINGS_KEY',
    about: 'API key for that endpoint',
    fallback: '',
    parse: optional,
  },
  embeddingThreads: {
    name: 'WORKLORE_EMBEDDING_THREADS',
    about: 'Threads of the built-in model, which embeds new texts; queries take one',
    fallback: '1',
    parse: integer(1, 64),
  },
  eventRetentionDays: {
    name: 'WORKLORE_EVENT_DAYS',
    about: 'Days to keep events',
    fallback: '30',
    shapesAnswers: true,
    parse: integer(1, 3_650),
  },
  historyDays: {
    name: 'WORKLORE_HISTORY_DAYS',
    about: 'Days to keep old versions of records; the last 100 versions of a record are always kept',
    fallback: '365',
    shapesAnswers: true,
    parse: integer(1, 36_500),
  },
  trashDays: {
    name: 'WORKLORE_TRASH_DAYS',
    about: 'Days to keep deleted records in the trash',
    fallback: '30',
    shapesAnswers: true,
    parse: integer(1, 3_650),
  },
  webhookAllow: {
    name: 'WORKLORE_WEBHOOK_ALLOW',
    about:
      'Private address ranges that webhooks may be sent to (http allowed), such as 10.0.0.0/8, separated by commas',
    fallback: '',
    parse: addressRanges,
  },
  secretKey: {
    name: 'WORKLORE_SECRET_KEY',
    about: 'Key that encrypts webhook secrets, 32 bytes in base64 or hex; if not set, `secret.key` in WORKLORE_DATA',
    fallback: '',
    parse: secretKey,
  },
  publicUrl: {
    name: 'WORKLORE_URL',
    formerName: 'WORKLORE_PUBLIC_URL',
    about: 'Address at which browsers reach the service (`https://…`); the web console accepts it besides localhost',
    fallback: '',
    parse: publicUrl,
  },
  oidcIssuer: {
    name: 'WORKLORE_OIDC_ISSUER',
    about: 'OpenID Connect issuer whose users may sign in (`https://…`); needs the next two and WORKLORE_URL',
    fallback: '',
    parse: (value) => (value === '' ? undefined : parseIssuer(value)),
  },
  oidcClientId: {
    name: 'WORKLORE_OIDC_CLIENT_ID',
    about: 'Id of the service as a client of that issuer',
    fallback: '',
    parse: optional,
  },
  oidcClientSecret: {
    name: 'WORKLORE_OIDC_CLIENT_SECRET',
    about: 'Secret of that client',
    fallback: '',
    parse: optional,
  },
  oidcDomains: {
    name: 'WORKLORE_OIDC_DOMAINS',
    about: 'Domains of verified e-mail addresses whose users are created at first sign-in, separated by commas',
    fallback: '',
    parse: parseDomains,
  },
  oidcIssuers: {
    name: 'WORKLORE_OIDC',
    about: 'JSON file with several issuers, their tenants, and the roles that claims give',
    fallback: '',
    parse: (value) => (value === '' ? [] : loadIssuers(value)),
  },
}

/** The values of the settings that answers depend on. */
export const answerSettings = (config: Config): unknown[] =>
  Object.entries(settings)
    .filter(([, { shapesAnswers }]) => shapesAnswers)
    .map(([field]) => config[field as keyof Config])

/** For `wl`, which often runs in the same environment. */
const settingsOfCommandLine = ['WORKLORE_KEY', 'WORKLORE_PROJECT', 'WORKLORE_COMPLETION']

/** Names that look like settings of ours and are none, as a misspelt one is. */
export const unknownSettings = (environment: NodeJS.ProcessEnv): string[] => {
  const own = Object.values(settings).flatMap(({ name, formerName = [] }) => [name, formerName].flat())
  const known = [...own, ...settingsOfCommandLine]
  return Object.keys(environment).filter((name) => name.startsWith('WORKLORE_') && !known.includes(name))
}

type OidcSettings = Pick<
  Config,
  'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcDomains' | 'oidcIssuers' | 'publicUrl'
>

/** The issuers whose users may sign in: that of the single settings, then those of the file. */
export const oidcIssuersOf = (config: OidcSettings): OidcIssuer[] => {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcDomains: domains } = config
  if (!issuer || !clientId || !clientSecret) return [...config.oidcIssuers]
  return [issuerOf({ issuer, clientId, clientSecret, domains }), ...config.oidcIssuers]
}

const oidcProblems = (config: OidcSettings): string[] => {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcIssuers, publicUrl } = config
  const parts = { oidcIssuer, oidcClientId, oidcClientSecret }
  const isAnySet = Object.values(parts).some((value) => value !== undefined)
  const problems = Object.entries(parts)
    .filter(([, value]) => isAnySet && value === undefined)
    .map(([field]) => `${settings[field as keyof typeof parts].name} is required to sign in with OpenID Connect`)
  if ((isAnySet || oidcIssuers.length > 0) && publicUrl === undefined) {
    problems.push('WORKLORE_URL is required to sign in with OpenID Connect')
  }
  const issuers = oidcIssuersOf(config).map(({ issuer }) => issuer)
  if (new Set(issuers).size < issuers.length) problems.push('WORKLORE_OIDC names an issuer twice')
  return problems
}

const processesProblem = (config: Partial<Config>): string | undefined => {
  const { processes = 1 } = config
  const isEmbedded = 'databaseUrl' in config && config.databaseUrl === undefined
  if (processes === 1 || !isEmbedded) return undefined
  return 'WORKLORE_PROCESSES must be 1 without DATABASE_URL: only one process can use the embedded database'
}

/** Reads every setting, or names every wrong one at once. */
export const readConfig = (environment: NodeJS.ProcessEnv): Config => {
  const problems: string[] = []
  const config: Record<string, unknown> = {}
  for (const [field, { name, formerName = name, fallback, parse }] of Object.entries<Setting<unknown>>(settings)) {
    const set = [name, formerName].find((known) => environment[known]?.trim()) ?? name
    try {
      config[field] = parse(environment[set]?.trim() || fallback)
    } catch (error) {
      problems.push(`${set} ${(error as Error).message}`)
    }
  }
  for (const problem of [planProblem(config), processesProblem(config)]) if (problem) problems.push(problem)
  if (/^http/.test(String(config.embeddings)) && config.embeddingsModel === undefined) {
    problems.push('WORKLORE_EMBEDDINGS_MODEL is required if WORKLORE_EMBEDDINGS is a URL')
  }
  if (problems.length === 0) problems.push(...oidcProblems(config as unknown as Config))
  if (problems.length > 0) throw new Error(`Invalid settings:\n  ${problems.join('\n  ')}`)
  return config as unknown as Config
}
