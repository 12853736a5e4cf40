import type { Db } from '../../db/port.js'
import { changesAfter, type LoggedChange } from '../store.js'
import { backfill } from './backfill.js'
import { type Behind, movePosition } from './position-store.js'
import { forgetProject } from './project-store.js'
import { enqueueChanged, type QueuedSubject } from './queue-store.js'
import type { EmbeddedKind, Shelf } from './subject.js'

const CHANGES_PER_STEP = 500

const kindOf = (type: string): EmbeddedKind | undefined => {
  if (type.startsWith('task.')) return 'task'
  return type.startsWith('knowledge.') ? 'knowledge' : undefined
}

/** The records that changed, each once. */
const changedSubjects = (changes: readonly LoggedChange[]): QueuedSubject[] => {
  const subjects = new Map<string, QueuedSubject>()
  for (const { type, project_id, subject, created_at } of changes) {
    const kind = kindOf(type)
    if (kind)
      subjects.set(JSON.stringify([kind, project_id, subject]), { kind, project_id, subject, changed_at: created_at })
  }
  return [...subjects.values()]
}

/** Reads one tenant's log from where it was left, and puts on the list what changed. Writers have no part in it. */
export const followLog = async (db: Db, model: string, behind: Behind): Promise<void> => {
  const shelf: Shelf = { tenantId: behind.tenant_id, model }
  let { position } = behind
  while (position !== null && position !== behind.last_sequence) {
    const from: number = position
    const changes = await changesAfter(db, shelf.tenantId, from, CHANGES_PER_STEP)
    // Sequences have no gaps: a missing one was trimmed, or is of a log that was replaced by a backup.
    if (changes[0]?.sequence !== from + 1) break
    for (const { type, subject } of changes) if (type === 'project.deleted') await forgetProject(db, shelf, subject)
    const to = changes.at(-1)!.sequence
    const isMine = await db.transaction(async (tx) => {
      if (!(await movePosition(tx, shelf, [from, to]))) return false
      await enqueueChanged(tx, shelf, changedSubjects(changes))
      return true
    })
    if (!isMine || to >= behind.last_sequence) return
    position = to
  }
  await backfill(db, shelf)
}
