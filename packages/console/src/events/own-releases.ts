import type { UndoBody, UndoConflict, UndoneRecord, UndoReport } from 'worklore-client'
import type { Client } from '../api/client'

/** Conflicts that are looked into. */
const maxLookedAt = 50
const historyLimit = 100
/** What a release changes. */
const releasedFields = ['status', 'attempts']

const recordOf = ({ task, comment, question, knowledge, projectId }: UndoneRecord | UndoConflict): string =>
  [comment ?? question ?? task ?? knowledge, projectId].join(' ')

/**
 * Whether all that a key changed in a task since a time was under one claim, and others only released it since it was
 * claimed: this key, or the service.
 */
const isReleaseAlone = async (
  client: Client,
  taskId: string,
  { claim, actor }: UndoConflict['change'],
  since: string,
  ownKeyId: string,
): Promise<boolean> => {
  const { data, pagination } = await client.tasks.history(taskId, { limit: historyLimit })
  const later = data.filter(({ at }) => Date.parse(at) >= Date.parse(since))
  if (later.length === data.length && pagination.hasMore) return false
  const first = later.findLastIndex((entry) => entry.claim === claim)
  const isRelease = (entry: (typeof later)[number]): boolean =>
    entry.actor.keyId === ownKeyId && Object.keys(entry.changes).every((field) => releasedFields.includes(field))
  return later.every((entry, index) =>
    index > first
      ? entry.actor.keyId !== actor.keyId
      : entry.claim === claim || entry.actor.keyId === 'service' || isRelease(entry),
  )
}

/**
 * Whoever stops an agent releases its tasks first and undoes its changes then. The service tells such a release as a later
 * change; here those tasks are undone by their claims, and the report says so.
 */
export const undoBehindReleases = async (
  client: Client,
  report: UndoReport,
  body: UndoBody & { dryRun: boolean; since: string },
  ownKeyId: string,
  options: { requestId?: string },
): Promise<UndoReport> => {
  const { dryRun, since } = body
  const undone = new Map(report.undone.map((record) => [recordOf(record), record]))
  const candidates = report.conflicts.filter(({ laterChange }) => laterChange?.actor.keyId === ownKeyId)
  for (const { task, comment, question, change } of candidates.slice(0, maxLookedAt)) {
    const { claim } = change
    if (!task || comment || question || !claim) continue
    if (!(await isReleaseAlone(client, task, change, since, ownKeyId))) continue
    const result = await client.history.undo({ claim, since, dryRun, includeConflicts: true }, options)
    for (const record of result.undone) undone.set(recordOf(record), record)
  }
  return {
    ...report,
    undone: [...undone.values()],
    conflicts: report.conflicts.filter((record) => !undone.has(recordOf(record))),
  }
}
