import { readFileSync } from 'node:fs'
import { foldEmail } from './email.js'

/** What the value of a claim gives: a role in the tenant, or no access at all. */
const mappedRoles = ['admin', 'member', 'none', 'disabled'] as const
export type MappedRole = (typeof mappedRoles)[number]

export interface RoleRule {
  claim: string
  value: string
  role: MappedRole
}

/** An issuer whose users may sign in to a tenant. */
export interface OidcIssuer {
  /** Exactly as its metadata has it. */
  issuer: string
  clientId: string
  clientSecret: string
  /** Shown as "Sign in with …". */
  name: string
  /** Name or id of the tenant that its users belong to. */
  tenant: string
  /** Users with a verified e-mail address in one of these are created at their first sign-in. */
  domains: readonly string[]
  roles: readonly RoleRule[]
  /** Requested at sign-in. */
  scope: string
  /** Accepted in access tokens besides the address of the service. */
  audience: string | undefined
}

const defaultScope = 'openid profile email'
const defaultTenant = 'default'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const isDomain = (value: unknown): value is string =>
  isText(value) && /^([a-z0-9-]+\.)+[a-z0-9-]{2,}$/.test(foldEmail(value))

export const isLoopbackUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)

const isIssuer = (value: unknown): value is string => {
  if (!isText(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  const isPlain = url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  return isPlain && (url.protocol === 'https:' || isLoopbackUrl(url))
}

export const parseIssuer = (text: string): string => {
  if (!isIssuer(text)) throw new Error('must be the https:// address of an OpenID Connect issuer')
  return text
}

export const parseDomains = (text: string): string[] => {
  const domains = text.split(',').flatMap((part) => foldEmail(part.trim()) || [])
  const wrong = domains.filter((domain) => !isDomain(domain))
  if (wrong.length > 0) throw new Error(`must list domains such as example.com, not ${wrong.join(', ')}`)
  return domains
}

interface Field {
  isRequired?: boolean
  isValid(value: unknown): boolean
  expected: string
}

const isRule = (value: unknown): value is RoleRule =>
  isObject(value) &&
  Object.keys(value).every((key) => ['claim', 'value', 'role'].includes(key)) &&
  isText(value.claim) &&
  isText(value.value) &&
  mappedRoles.some((role) => role === value.role)

const fields: Readonly<Record<keyof OidcIssuer, Field>> = {
  issuer: { isRequired: true, isValid: isIssuer, expected: 'the https:// address of an OpenID Connect issuer' },
  clientId: { isRequired: true, isValid: isText, expected: 'a text' },
  clientSecret: { isRequired: true, isValid: isText, expected: 'a text' },
  name: { isValid: (value) => isText(value) && value.length <= 60, expected: 'a text of at most 60 characters' },
  tenant: { isValid: isText, expected: 'the name or id of a tenant' },
  domains: {
    isValid: (value) => Array.isArray(value) && value.every(isDomain),
    expected: 'a list of domains such as example.com',
  },
  roles: {
    isValid: (value) => Array.isArray(value) && value.every(isRule),
    expected: `a list of objects with claim, value and role (${mappedRoles.join(', ')})`,
  },
  scope: {
    isValid: (value) => isText(value) && value.split(' ').includes('openid'),
    expected: 'scopes separated by spaces, openid among them',
  },
  audience: { isValid: isText, expected: 'a text' },
}

const mistakesIn = (given: unknown, at: number): string[] => {
  if (!isObject(given)) return [`"issuers.${at}": must be an object`]
  const mistakes = Object.keys(given)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `"issuers.${at}.${name}": unknown; must be one of ${Object.keys(fields).join(', ')}`)
  for (const [name, { isRequired, isValid, expected }] of Object.entries(fields)) {
    const value = given[name]
    if (value === undefined ? isRequired : !isValid(value)) {
      mistakes.push(`"issuers.${at}.${name}": must be ${expected}`)
    }
  }
  return mistakes
}

export const issuerOf = (
  given: Pick<OidcIssuer, 'issuer' | 'clientId' | 'clientSecret'> & Partial<OidcIssuer>,
): OidcIssuer => ({
  issuer: given.issuer,
  clientId: given.clientId,
  clientSecret: given.clientSecret,
  name: given.name ?? new URL(given.issuer).host,
  tenant: given.tenant ?? defaultTenant,
  domains: (given.domains ?? []).map(foldEmail),
  roles: given.roles ?? [],
  scope: given.scope ?? defaultScope,
  audience: given.audience,
})

const readJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`cannot be read as JSON: ${(error as Error).message}`, { cause: error })
  }
}

/** The issuers of a JSON file; throws naming every wrong entry, without its value: it may be a secret. */
export const loadIssuers = (path: string): OidcIssuer[] => {
  const given = readJson(path)
  const list = isObject(given) && Object.keys(given).length === 1 ? given.issuers : undefined
  if (!Array.isArray(list)) throw new Error('must be a file with {"issuers": [...]}')
  const mistakes = list.flatMap(mistakesIn)
  if (mistakes.length > 0) throw new Error(`has wrong entries: ${mistakes.join('; ')}`)
  return list.map(issuerOf)
}
