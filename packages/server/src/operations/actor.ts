import { AppError } from '../base/errors.js'

export const scopes = ['tasks:read', 'tasks:write', 'knowledge:read', 'knowledge:write', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** Who makes a request: an API key, and the user it belongs to. */
export interface Actor {
  readonly tenantId: string
  readonly keyId: string
  readonly keyName: string
  readonly userId: string | null
  /** The user that the key belongs to, or, where it has none any longer, last belonged to. */
  readonly lastUserId?: string | null
  readonly scopes: readonly Scope[]
  /** The projects the key is limited to; null is all of them. */
  readonly projectIds: readonly string[] | null
  /** When the key or the secret in use ends, whichever is first. */
  readonly keyExpiresAt: number | null
  /** The addresses and ranges that the key may be used from, where it is limited to some. */
  readonly allowedAddresses?: readonly string[] | null
  /** Of the secret in use, where the actor came with one. */
  readonly secretHash?: string | null
  /** The session of the web console that the request was made with. */
  readonly sessionId?: string | undefined
  /** Whether that session was opened with a one-time link. */
  readonly isByLink?: boolean
}

/** An authenticated caller. */
export interface Identity {
  actor: Actor
  plan: string
}

/** The service itself, for what no key asked for. */
export const serviceActor = (tenantId: string): Actor => ({
  tenantId,
  keyId: 'service',
  keyName: 'service',
  userId: null,
  scopes: ['admin'],
  projectIds: null,
  keyExpiresAt: null,
})

/** The operator at the command line, who acts for a tenant without one of its keys. */
export const operatorActor = (tenantId: string): Actor => ({
  tenantId,
  keyId: 'operator',
  keyName: 'command line',
  userId: null,
  scopes: ['admin'],
  projectIds: null,
  keyExpiresAt: null,
})

/** How a change names its actor, in records and in events. */
export interface ActorRef {
  keyId: string
  keyName: string
  userId: string | null
}

export const actorRef = ({ keyId, keyName, userId }: Actor): ActorRef => ({ keyId, keyName, userId })

const scopesThatInclude: Record<Scope, readonly Scope[]> = {
  'tasks:read': ['tasks:read', 'tasks:write', 'admin'],
  'tasks:write': ['tasks:write', 'admin'],
  'knowledge:read': ['knowledge:read', 'knowledge:write', 'admin'],
  'knowledge:write': ['knowledge:write', 'admin'],
  admin: ['admin'],
}

export const holdsScope = (actor: Pick<Actor, 'scopes'>, scope: Scope): boolean => {
  const sufficient = scopesThatInclude[scope]
  for (const held of actor.scopes) if (sufficient.includes(held)) return true
  return false
}

export const mayUseProject = (actor: Actor, projectId: string): boolean =>
  actor.projectIds === null || actor.projectIds.includes(projectId)

export const requireProject = (actor: Actor, projectId: string): void => {
  if (mayUseProject(actor, projectId)) return
  throw new AppError(
    'FORBIDDEN',
    'This key is limited to other projects. Use a key for this project, or ask an admin.',
    { requiredProject: projectId, see: 'me' },
  )
}
