import type { Me } from 'worklore-client'

export type Scope = Me['scopes'][number]

const scopesThatInclude: Record<Scope, readonly Scope[]> = {
  'tasks:read': ['tasks:read', 'tasks:write', 'admin'],
  'tasks:write': ['tasks:write', 'admin'],
  'knowledge:read': ['knowledge:read', 'knowledge:write', 'admin'],
  'knowledge:write': ['knowledge:write', 'admin'],
  admin: ['admin'],
}

export const hasScope = (me: Me, scope: Scope): boolean =>
  me.scopes.some((held) => scopesThatInclude[scope].includes(held))

/** A key limited to projects reads tenant-wide knowledge but does not write it. */
export const canWriteKnowledge = (me: Me, projectId: string | null): boolean =>
  hasScope(me, 'knowledge:write') && (projectId !== null || me.projects === null)
