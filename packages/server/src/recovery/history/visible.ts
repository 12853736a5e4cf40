import type { RecordKind } from '../../changelog/versions/version.js'
import { type Actor, holdsScope, mayUseProject, type Scope } from '../../operations/actor.js'
import { requireScope } from '../../operations/admission.js'

/** What a key needs to read records of a kind; null if none. */
const scopeToRead: Record<RecordKind, Scope | null> = {
  task: 'tasks:read',
  comment: 'tasks:read',
  question: 'tasks:read',
  knowledge: 'knowledge:read',
  project: null,
}

/** What a key needs to bring a record of a kind back. */
const scopeToRestore: Record<RecordKind, Scope> = {
  task: 'tasks:write',
  comment: 'tasks:write',
  question: 'tasks:write',
  knowledge: 'knowledge:write',
  project: 'admin',
}

const mayRead = (actor: Actor, kind: RecordKind): boolean => {
  const scope = scopeToRead[kind]
  return scope === null || holdsScope(actor, scope)
}

/** What belongs to no project is read by every key. */
export const isVisible = (actor: Actor, kind: RecordKind, projectId: string): boolean =>
  mayRead(actor, kind) && (projectId === '' || mayUseProject(actor, projectId))

export const requireRead = (actor: Actor, kind: RecordKind): void => {
  requireScope(actor, scopeToRead[kind] ?? undefined)
}

export const requireRestore = (actor: Actor, kind: RecordKind): void => {
  requireScope(actor, scopeToRestore[kind])
}
