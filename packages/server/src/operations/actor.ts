import { AppError } from '../base/errors.js'
import { includesProject, type ProjectSet, withoutProjects } from '../base/project-set.js'
import { noteProject } from '../limits/usage/usage.js'
import type { Access } from './access.js'
import type { Call, Interface } from './call.js'

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
  /** Those of the key, as far as its user's role allows them. */
  readonly scopes: readonly Scope[]
  /** Whether the user's role withholds a scope that the key has. */
  readonly isHeldBack?: boolean
  /** The projects that the key and its user may see. */
  readonly projectIds: ProjectSet
  /** Private projects, which for this actor are not there. */
  readonly hiddenProjectIds?: readonly string[]
  /** The projects that the user reads and comments on, no more. */
  readonly viewedProjectIds?: readonly string[]
  /** What the rights besides the key's come from. */
  readonly access?: Access
  /** What keeps the actor from being handed work in any project. */
  readonly pauses?: Pauses
  /** When the key or the secret in use ends, whichever is first. */
  readonly keyExpiresAt: number | null
  /** The addresses and ranges that the key may be used from, where it is limited to some. */
  readonly allowedAddresses?: readonly string[] | null
  /** Of the secret in use, where the actor came with one. */
  readonly secretHash?: string | null
  /** When the token of an issuer ends that the actor came with instead of a secret. */
  readonly tokenExpiresAt?: number
  /** The session of the web console that the request was made with. */
  readonly sessionId?: string | undefined
  /** Whether that session was opened with a one-time link. */
  readonly isByLink?: boolean
}

/** Who paused something, when and why. */
export interface Paused {
  reason: string
  by: ActorRef
  at: string
}

interface Pauses {
  readonly tenant: Paused | null
  readonly key: Paused | null
}

/** An authenticated caller. */
export interface Identity {
  actor: Actor
  plan: string
  /** The one interface that what the caller came with is for; without it, all of them. */
  onlyVia?: Interface | undefined
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

export const mayUseProject = (actor: Actor, projectId: string): boolean => includesProject(actor.projectIds, projectId)

/** Whether a project is private and, for this actor, not there. */
export const isHidden = (actor: Actor, projectId: string): boolean =>
  actor.hiddenProjectIds?.includes(projectId) === true

/** The projects that the actor may see and is no mere viewer of. */
export const writableProjects = ({ projectIds, viewedProjectIds = [] }: Actor): ProjectSet =>
  withoutProjects(projectIds, viewedProjectIds)

/**
 * Refuses an actor that may not use a project: with the error of what is missing where the project is hidden from it. A
 * change is also refused to viewers.
 */
export const requireProject = (
  { actor, refusesViewers, origin }: Pick<Call, 'actor' | 'refusesViewers'> & Partial<Pick<Call, 'origin'>>,
  projectId: string,
  missing: () => AppError,
): void => {
  if (isHidden(actor, projectId)) throw missing()
  if (!mayUseProject(actor, projectId)) {
    throw new AppError(
      'project',
      'This key or its user is limited to other projects. Use a key for this project, or ask an admin.',
      { requiredProject: projectId },
    )
  }
  noteProject(origin?.usage, projectId)
  if (!refusesViewers || !actor.viewedProjectIds?.includes(projectId)) return
  throw new AppError(
    'role',
    'Your role in this project is viewer: you can read and comment. An admin can make you a member of the project.',
    { requiredProject: projectId },
  )
}
