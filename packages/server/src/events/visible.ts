import { type Actor, holdsScope, type Scope } from '../actor.js'
import { type EventFilter, type EventKind, type EventType, eventTypes, kindOf } from './types.js'

/** What a key must hold to hear of a kind of record; null where any key will do, as for reading it. */
const scopeToHear: Record<EventKind, Scope | null> = {
  task: 'tasks:read',
  knowledge: 'knowledge:read',
  project: null,
  user: null,
  key: 'admin',
  webhook: 'admin',
}

const mayHear = (actor: Actor, type: EventType): boolean => {
  const scope = scopeToHear[kindOf(type)]
  return scope === null || holdsScope(actor, scope)
}

/** What is left of a wish when an actor may see only some of it. */
export const visibleTo = (actor: Actor, wish: EventFilter): EventFilter => {
  const types = (wish.types ?? eventTypes).filter((type) => mayHear(actor, type))
  // Beside its projects, a limited key reads what belongs to none: users and tenant-wide knowledge.
  const projectIds = wish.projectIds ?? (actor.projectIds && [...actor.projectIds, ''])
  return { types: types.length === eventTypes.length ? null : types, projectIds }
}
