import { noteDue } from '../../../background/note.js'
import type { Statement } from '../../../db/port.js'
import type { Call } from '../../../operations/call.js'
import type { StoredTask } from '../stored-task.js'

/** Where a task must not be begun yet, the time to queue it. */
export const wakeUpOf = ({ doc }: StoredTask, nowMs: number): number | null => {
  const notBeforeMs = doc.notBefore === null ? null : Date.parse(doc.notBefore)
  return notBeforeMs !== null && notBeforeMs > nowMs ? notBeforeMs : null
}

/** Has the service look at tasks when their claims end or their time to be queued comes. */
export const noteDueTasks = ({ db, actor, clock }: Call, tasks: readonly StoredTask[]): Statement[] => {
  const times = tasks.flatMap(({ claims, wakeAtMs }) => [
    ...(claims.current ? [Date.parse(claims.current.expiresAt)] : []),
    ...(wakeAtMs === null ? [] : [wakeAtMs]),
  ])
  if (times.length === 0) return []
  return noteDue(db, { tenantId: actor.tenantId, kind: 'tasks', dueAtMs: Math.min(...times) }, clock())
}
