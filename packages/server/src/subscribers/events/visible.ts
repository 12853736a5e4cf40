import { notFound } from '../../base/errors.js'
import { isListed, withTenantWide } from '../../base/project-set.js'
import { type EventFilter, type EventKind, type EventType, eventTypes, kindOf } from '../../changelog/event-types.js'
import { type Actor, holdsScope, requireProject, type Scope } from '../../operations/actor.js'

/** The scope that a key needs to read events of a kind; null if none. */
const scopeToRead: Record<EventKind, Scope | null> = {
  task: 'tasks:read',
  comment: 'tasks:read',
  question: 'tasks:read',
  knowledge: 'knowledge:read',
  project: null,
  tenant: null,
  user: null,
  member: 'admin',
  key: 'admin',
  webhook: 'admin',
}

const mayRead = (actor: Actor, type: EventType): boolean => {
  const scope = scopeToRead[kindOf(type)]
  return scope === null || holdsScope(actor, scope)
}

/** The part of a requested filter that an actor may see. Throws where it names a project that the actor may not use. */
export const visibleTo = (actor: Actor, requested: EventFilter): EventFilter => {
  for (const projectId of isListed(requested.projectIds) ? requested.projectIds : [])
    requireProject({ actor }, projectId, () => notFound('project', projectId))
  const types = (requested.types ?? eventTypes).filter((type) => mayRead(actor, type))
  // Beside its projects, a limited key reads what belongs to none: users and tenant-wide knowledge.
  const projectIds = requested.projectIds ?? withTenantWide(actor.projectIds)
  return { types: types.length === eventTypes.length ? null : types, projectIds }
}
