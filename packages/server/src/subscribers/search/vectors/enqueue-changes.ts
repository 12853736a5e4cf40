import { changesAfter, type LoggedChange } from '../../../changelog/changes.js'
import type { Db } from '../../../db/port.js'
import type { SearchSources } from '../../../work/search/source.js'
import { changedDocuments, isEmbedded } from '../sources.js'
import { backfill } from './backfill.js'
import { type LogPosition, movePosition } from './position-store.js'
import { enqueueChanged, type QueuedSubject } from './queue-store.js'
import type { VectorSet } from './vector-set.js'

const CHANGES_PER_READ = 500

/** The documents that changed, each once. */
const changedSubjects = (changes: readonly LoggedChange[]): QueuedSubject[] => {
  const subjects = new Map<string, QueuedSubject>()
  for (const change of changes) {
    for (const { collection: kind, ref: subject } of changedDocuments(change)) {
      if (isEmbedded(kind)) subjects.set(subject, { kind, subject, changed_at: change.created_at })
    }
  }
  return [...subjects.values()]
}

/** Reads one tenant's log from where it was left, and puts what changed into the queue. Writers have no part in it. */
export const enqueueChanges = async (
  db: Db,
  sources: SearchSources,
  set: VectorSet,
  { lastSequence, ...read }: LogPosition,
): Promise<void> => {
  let { position } = read
  if (position === lastSequence) return
  while (position !== null) {
    const from: number = position
    const changes = await changesAfter(db, set.tenantId, from, CHANGES_PER_READ)
    // Sequences have no gaps: a missing one was trimmed, or is of a log that was replaced by a backup.
    if (changes[0]?.sequence !== from + 1) break
    const to = changes.at(-1)!.sequence
    const isMine = await db.transaction(async (tx) => {
      if (!(await movePosition(tx, set, [from, to]))) return false
      await enqueueChanged(tx, set, changedSubjects(changes))
      return true
    })
    if (!isMine || to >= lastSequence) return
    position = to
  }
  await backfill(db, sources, set)
}
