import type { Json } from '../../../base/json.js'
import { utf8Length } from '../../../base/text.js'
import { maxEventDataLength, type RecordedChange, record, recordAll } from '../../../changelog/record.js'
import { type KeptVersion, type RecordEventType, recordName } from '../../../changelog/versions/version.js'
import type { Call } from '../../../operations/call.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import { marksOfProject } from '../../fields/stale-marks.js'
import type { WorkRecord } from '../checks/rules.js'
import { type StoredDoc, storedDoc, taskJsonOf, versionJsonOf } from '../json-store.js'
import { isClosed } from '../queue/ready.js'
import type { ClaimedRest, MovedRest } from '../restore/kept-version.js'
import type { Task } from '../schema.js'
import * as store from '../store.js'
import { type BeforeAndAfter, numberOf, type StoredTask } from '../stored-task.js'

type ChangeType = Exclude<Extract<RecordEventType, `task.${string}`>, 'task.deleted'>

const withoutTexts = (json: Json<Task>): string =>
  JSON.stringify({ ...JSON.parse(json), description: undefined, result: undefined, checks: undefined, truncated: true })

const eventData = (json: Json<Task>): string => (json.length <= maxEventDataLength ? json : withoutTexts(json))

export const storedBytesOfTask = ({ doc }: StoredTask): number => utf8Length(storedDoc(doc))

const shownInEvents = (task: StoredTask): StoredTask =>
  task.stale === null ? task : { ...task, stale: marksOfProject(task.stale, task.doc.projectId) }

export const loggedFields = (task: StoredTask, growthBytes: number, previous?: Partial<Task>, stored?: StoredDoc) => ({
  growthBytes,
  subject: task.doc.id,
  projectId: task.doc.projectId,
  data: eventData(taskJsonOf(shownInEvents(task), stored)),
  ...(previous && { previous: eventData(JSON.stringify(previous)) }),
})

/** The task as it was, null where it is new, and as it is written. */
export interface WrittenTask extends BeforeAndAfter {
  stored: StoredDoc
}

export interface ChangeEvent {
  type: ChangeType
  previous?: Partial<Task>
}

export const withChecks = (event: ChangeEvent, before: StoredTask | null): ChangeEvent =>
  before ? { ...event, previous: { ...event.previous, checks: before.doc.checks } } : event

const claimedRestOf = ({ claims }: StoredTask): ClaimedRest => ({
  isClaimed: claims.current !== null,
  claimNumber: claims.number,
})

const replacedRestOf = (before: StoredTask, type: ChangeType): ClaimedRest | MovedRest | null => {
  const claimed = claimedRestOf(before)
  if (type === 'task.moved') return { ...claimed, projectId: before.doc.projectId, rank: before.rank }
  return claimed.isClaimed ? claimed : null
}

export const changeOf = ({ before, after, stored }: WrittenTask, { type, previous }: ChangeEvent): RecordedChange => {
  const storedBefore = before ? storedDoc(before.doc) : undefined
  const growthBytes = utf8Length(stored) - utf8Length(storedBefore ?? '')
  const rest = before && replacedRestOf(before, type)
  return {
    type,
    ...loggedFields(after, growthBytes, previous, stored),
    kept: {
      record: recordName.task(after.doc.id),
      version: after.doc.version,
      beforeVersion: before?.doc.version ?? null,
      before: before && versionJsonOf(before, storedBefore),
      ...(rest && { rest: JSON.stringify(rest) }),
    },
  }
}

/** The change of a task that came back. */
export const restoredChangeOf = (task: StoredTask, undoes: string | undefined): RecordedChange => ({
  type: 'task.restored',
  ...loggedFields(task, storedBytesOfTask(task)),
  ...(undoes !== undefined && { undoes }),
  kept: { record: recordName.task(task.doc.id), version: task.doc.version, beforeVersion: null, before: null },
})

/** What a deleted task needs to come back besides its fields. */
export interface TaskRest extends ClaimedRest {
  /** The tasks that waited for it, those apart that were deleted with it. */
  dependents: string[]
  work: WorkRecord
  /** Omitted if it equals the number in the ID. */
  number?: number
  rank: number
}

/** A task that is being deleted, as the history keeps it. */
export const deletedVersionOf = (task: StoredTask, dependents: readonly string[] = []): KeptVersion => {
  const rest: TaskRest = {
    ...claimedRestOf(task),
    dependents: [...dependents],
    work: task.work,
    rank: task.rank,
    ...(task.number !== numberOf(task.doc.id) && { number: task.number }),
  }
  return {
    type: 'task.deleted',
    record: recordName.task(task.doc.id),
    projectId: task.doc.projectId,
    version: task.doc.version,
    beforeVersion: task.doc.version,
    before: versionJsonOf(task),
    rest: JSON.stringify(rest),
  }
}

/** More would keep the event loop from everything else for too long. */
export const tasksPerTurn = 100

/** The tasks as they stand, for whoever hears that nothing blocks them any longer. */
export const recordUnblocked = async (call: Call, taskIds: readonly string[]): Promise<void> => {
  call.work?.expect('change', taskIds.length)
  await inTurns(taskIds, tasksPerTurn, async (some) => {
    const tasks = await store.findVisibleTasks(call.db, call.actor.tenantId, some)
    const open = tasks.filter(({ doc }) => !isClosed(doc.statusCategory))
    await recordAll(
      call,
      open.map((task) => ({ type: 'task.unblocked' as const, ...loggedFields(task, 0) })),
    )
  })
}

/** More are not listed in an event. */
const maxRespacedShown = 500

/** Tells that a task stands elsewhere in its project, and of the others that got other ranks to make room for it. */
export const recordRanked = async (
  call: Call,
  before: StoredTask,
  after: StoredTask,
  ranks: readonly { id: string; rank: number }[],
): Promise<void> => {
  const others = ranks.filter(({ id }) => id !== after.doc.id).map(({ id, rank }) => ({ id, rank }))
  const logged = loggedFields(after, 0, { rank: before.rank })
  const isListed = others.length > 0 && others.length <= maxRespacedShown
  const data = isListed ? JSON.stringify({ ...JSON.parse(logged.data), respaced: others }) : logged.data
  await record(call, { type: 'task.ranked', ...logged, data })
}
