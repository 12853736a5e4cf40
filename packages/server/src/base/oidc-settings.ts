import { type Static, Type } from 'typebox'
import { foldEmail } from './email.js'
import { readSettingsFile } from './settings-file.js'

const isDomain = (value: string): boolean => /^([a-z0-9-]+\.)+[a-z0-9-]{2,}$/.test(foldEmail(value))

export const isLoopbackUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)

const isIssuer = (value: string): boolean => {
  if (!URL.canParse(value)) return false
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

const mappedRoles = ['admin', 'member', 'none', 'disabled'] as const
/** What the value of a claim gives: a role in the tenant, or no access at all. */
export type MappedRole = (typeof mappedRoles)[number]

const Text = Type.String({ pattern: '\\S', expected: 'a text' })

const RoleRule = Type.Object(
  {
    claim: Text,
    value: Text,
    role: Type.Unsafe<MappedRole>({ enum: mappedRoles, expected: `one of ${mappedRoles.join(', ')}` }),
  },
  { additionalProperties: false, expected: 'an object with claim, value and role' },
)
export type RoleRule = Static<typeof RoleRule>

/** An issuer whose users may sign in to a tenant. */
const Issuer = Type.Object(
  {
    /** Exactly as its metadata has it. */
    issuer: Type.String({ format: 'issuer', expected: 'the https:// address of an OpenID Connect issuer' }),
    clientId: Text,
    clientSecret: Text,
    /** Shown as "Sign in with …". */
    name: Type.Optional(Type.String({ pattern: '\\S', maxLength: 60, expected: 'a text of at most 60 characters' })),
    /** Name or id of the tenant that its users belong to. */
    tenant: Type.Optional(Text),
    /** Users with a verified e-mail address in one of these are created at their first sign-in. */
    domains: Type.Optional(
      Type.Array(Type.String({ format: 'domain', expected: 'a domain such as example.com' }), {
        expected: 'a list of domains such as example.com',
      }),
    ),
    roles: Type.Optional(Type.Array(RoleRule, { expected: 'a list of objects with claim, value and role' })),
    /** Requested at sign-in. */
    scope: Type.Optional(
      Type.String({ pattern: '(^| )openid( |$)', expected: 'scopes separated by spaces, openid among them' }),
    ),
    /** Accepted in access tokens besides the address of the service. */
    audience: Type.Optional(Text),
  },
  { additionalProperties: false, expected: 'an object' },
)

export interface OidcIssuer extends Required<Omit<Static<typeof Issuer>, 'domains' | 'roles' | 'audience'>> {
  domains: readonly string[]
  roles: readonly RoleRule[]
  audience: string | undefined
}

const IssuersFile = Type.Object(
  { issuers: Type.Array(Issuer, { expected: 'a list of issuers' }) },
  { additionalProperties: false, expected: 'an object {"issuers": [...]}' },
)

export const issuerOf = (
  given: Pick<OidcIssuer, 'issuer' | 'clientId' | 'clientSecret'> & Partial<OidcIssuer>,
): OidcIssuer => ({
  issuer: given.issuer,
  clientId: given.clientId,
  clientSecret: given.clientSecret,
  name: given.name ?? new URL(given.issuer).host,
  tenant: given.tenant ?? 'default',
  domains: (given.domains ?? []).map(foldEmail),
  roles: given.roles ?? [],
  scope: given.scope ?? 'openid profile email',
  audience: given.audience,
})

/** Loads the issuers from a settings file. The error names every invalid entry. */
export const loadIssuers = (path: string): OidcIssuer[] =>
  readSettingsFile(path, IssuersFile, { issuer: isIssuer, domain: isDomain }).issuers.map(issuerOf)
