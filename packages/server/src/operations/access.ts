import { type ProjectSet, withoutProjects } from '../base/project-set.js'
import type { Scope } from './actor.js'

/** What a user may do in the tenant. */
export const tenantRoles = ['admin', 'member', 'none'] as const
type TenantRole = (typeof tenantRoles)[number]

/** What a user may do in one project, in place of what the role in the tenant gives there. */
export const projectRoles = ['member', 'viewer'] as const
export type ProjectRole = (typeof projectRoles)[number]

/** What limits a caller besides its key. */
export interface Access {
  /** Of the key's user; null for a key without one. */
  role: TenantRole | null
  /** The user's roles in single projects. */
  projectRoles: Readonly<Record<string, ProjectRole>>
  /** The tenant's private projects, deleted ones that are not purged yet included. */
  privateProjectIds: readonly string[]
}

/** What a key and its user may do together. */
export interface Rights {
  scopes: readonly Scope[]
  /** Whether the user's role withholds a scope that the key has. */
  isHeldBack: boolean
  projectIds: ProjectSet
  hiddenProjectIds: readonly string[]
  viewedProjectIds: readonly string[]
}

const withoutAdmin = (scopes: readonly Scope[]): Scope[] => [
  ...new Set(scopes.flatMap((scope): Scope[] => (scope === 'admin' ? ['tasks:write', 'knowledge:write'] : [scope]))),
]

const none: readonly string[] = []

/** The projects that a key or a user is limited to; null is all. */
const limitOf = (keyProjectIds: readonly string[] | null, { role, projectRoles }: Access): readonly string[] | null => {
  if (role !== 'none') return keyProjectIds
  return keyProjectIds?.filter((id) => id in projectRoles) ?? Object.keys(projectRoles)
}

/** What a key with some scopes, limited to some projects or none, may do with its user's roles. */
export const rightsOf = (
  key: { scopes: readonly Scope[]; projectIds: readonly string[] | null },
  access: Access,
): Rights => {
  const { role, projectRoles, privateProjectIds } = access
  const isHeldBack = role !== null && role !== 'admin' && key.scopes.includes('admin')
  const scopes = isHeldBack ? withoutAdmin(key.scopes) : key.scopes
  const limit = limitOf(key.projectIds, access)
  const seesAll = role === null ? key.scopes.includes('admin') : role === 'admin'
  if (seesAll) return { scopes, isHeldBack, projectIds: limit, hiddenProjectIds: none, viewedProjectIds: none }
  const sees = (id: string): boolean => (role === null ? key.projectIds?.includes(id) === true : id in projectRoles)
  const hiddenProjectIds = privateProjectIds.filter((id) => !sees(id))
  const viewedProjectIds = Object.keys(projectRoles).filter((id) => projectRoles[id] === 'viewer')
  return {
    ...{ scopes, isHeldBack, hiddenProjectIds, viewedProjectIds },
    projectIds: withoutProjects(limit, hiddenProjectIds),
  }
}
