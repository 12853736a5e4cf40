import type { SkippedLink } from '../../changelog/versions/schema.js'
import type { Position } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { parseVersion } from '../../work/tasks/restore/kept-version.js'
import { type DeletedTask, restoreTasks } from '../../work/tasks/restore/restore.js'
import type { TaskRest } from '../../work/tasks/write/record.js'
import { type DeletedRecord, deletionsAfter } from '../history/removal/deletions.js'
import { lastSequence } from '../history/selection.js'
import type { StoredEntry } from './store.js'

/** Tasks of a tree that come back in one transaction, those that waited for them included. */
const tasksPerStep = 100
/** More than the tasks of a subtree, so that all of them are found. */
const maxTogether = 2_000

/** Whether so much was deleted together that it comes back in steps. */
export const isLargeTree = ({ kind, firstSequence, lastSequence }: StoredEntry): boolean =>
  kind === 'task' && lastSequence - firstSequence >= tasksPerStep

/** All that was deleted with an entry, but the contents of a project: the record at the top comes last. */
export const recordsOf = async (
  call: Call,
  { firstSequence, lastSequence }: Pick<StoredEntry, 'firstSequence' | 'lastSequence'>,
): Promise<DeletedRecord[]> => {
  const records: DeletedRecord[] = []
  for (let after: Position = [firstSequence - 1, Number.MAX_SAFE_INTEGER]; ; ) {
    const found = await deletionsAfter(call, after, lastSequence, maxTogether)
    records.push(...found.filter(({ place }) => place === 0))
    const last = found.at(-1)
    if (!last || last.sequence === lastSequence) return records
    after = [last.sequence, Number.MAX_SAFE_INTEGER]
  }
}

export const deletedTask = ({ before, rest }: DeletedRecord): DeletedTask => ({
  version: parseVersion(before),
  rest: JSON.parse(rest!) as TaskRest,
})

/** A task of a tree, and the deletion that it comes back from. */
type TreeTask = readonly [id: string, sequence: number]

/** How far a tree has come back. */
export interface TreeProgress {
  /** Each after its parent and its blockers, so that its links can be made when it comes back. */
  order: readonly TreeTask[]
  restored: number
  /** The end of the tenant's history after the last step. */
  lastSequence: number
}

export const startOfTree = (records: readonly DeletedRecord[]): TreeProgress => {
  const waiting = new Map(records.toReversed().map((record) => [record.record, record]))
  const order: TreeTask[] = []
  const place = (id: string): void => {
    const record = waiting.get(id)
    if (!record) return
    waiting.delete(id)
    const { parentId, blockedBy } = deletedTask(record).version
    if (parentId !== null) place(parentId)
    for (const blocker of blockedBy) place(blocker)
    order.push([id, record.sequence])
  }
  for (const id of [...waiting.keys()]) place(id)
  return { order, restored: 0, lastSequence: 0 }
}

const readStep = async (call: Call, tasks: readonly TreeTask[]): Promise<DeletedTask[]> => {
  const step: DeletedTask[] = []
  let work = 0
  for (const [, sequence] of tasks.slice(0, tasksPerStep)) {
    const [record] = await deletionsAfter(call, [sequence, -1], sequence, 1)
    const task = deletedTask(record!)
    work += 1 + task.rest.dependents.length
    if (step.length > 0 && work > tasksPerStep) return step
    step.push(task)
  }
  return step
}

/** Brings the next tasks of a tree back; undefined after the last. */
export const restoreTreeStep = async (
  call: Call,
  { order, restored, lastSequence: known }: TreeProgress,
  maxAttempts: number,
  skipped: SkippedLink[],
): Promise<TreeProgress | undefined> => {
  const { db, actor } = call
  const step = await readStep(call, order.slice(restored))
  if (step.length === 0) return undefined
  // If anything was changed since the last step, links to what is back already could close a cycle, and are looked at.
  const isUntouched = (await lastSequence(db, actor.tenantId)) === known
  const back = new Set(isUntouched ? order.slice(0, restored).map(([id]) => id) : [])
  skipped.push(...(await restoreTasks(call, step, maxAttempts, () => undefined, back)))
  return { order, restored: restored + step.length, lastSequence: await lastSequence(db, actor.tenantId) }
}
