import { noteDue } from '../../background/note.js'
import { notifyAll } from '../../changelog/inbox/notify.js'
import { type Call, changing } from '../../operations/call.js'
import { deletedProjectIds } from '../../tenancy/projects/service.js'
import { areShownChanged, requireVisibleMarks } from '../fields/stale-marks.js'
import { isClosed } from './queue/ready.js'
import { queueReturned } from './row-store.js'
import { answerOf, findTask, type TaskAnswer } from './service.js'
import * as store from './store.js'
import type { StoredTask } from './stored-task.js'
import { writeMarks } from './write/derived.js'

/** A task that relied on knowledge. */
interface DependentTask {
  id: string
  projectId: string
  isOpen: boolean
  /** What it shows, as JSON; null for nothing. */
  stale: string | null
  task: StoredTask
}

/** The tasks with these ids that are there. */
export const dependentTasks = async ({ db, actor }: Call, ids: readonly string[]): Promise<DependentTask[]> =>
  (await store.findTasks(db, actor.tenantId, ids)).map((task) => {
    const { id, projectId, statusCategory } = task.doc
    return { id, projectId, isOpen: !isClosed(statusCategory), stale: task.stale, task }
  })

/** What a task is to show from now on. */
export interface TaskMarks {
  dependent: DependentTask
  /** Marks as JSON; null for none. */
  stale: string | null
  /** What the user concerned is told, where a mark is new. */
  notice: { cause: string; text: string } | null
}

/**
 * Sets the marks of tasks. Unless its project is deleted, a task with a new mark gets an event and an inbox entry, and
 * one whose marks in events have changed gets an event. The user `causedBy` gets no entry.
 */
export const showTaskMarks = async (
  call: Call,
  marked: readonly TaskMarks[],
  causedBy: string | null,
): Promise<void> => {
  if (marked.length === 0) return
  const deleted = await deletedProjectIds(call)
  const isTold = ({ dependent, stale, notice }: TaskMarks): boolean =>
    !deleted.has(dependent.projectId) &&
    (notice !== null || areShownChanged(dependent.stale, stale, dependent.projectId))
  const told = new Set(marked.filter(isTold).map(({ dependent }) => dependent.id))
  const tasks = marked.map(({ dependent, stale }) => ({ ...dependent.task, stale }))
  await writeMarks(call, tasks, ({ doc }) => told.has(doc.id))
  await notifyAll(
    call,
    marked.flatMap(({ dependent: { task }, notice }) => {
      const userId = task.assigneeId ?? task.doc.createdBy.userId
      if (!notice || !told.has(task.doc.id) || userId === null || userId === causedBy) return []
      const { id, projectId, title } = task.doc
      return [{ ...notice, kind: 'stale', userIds: [userId], taskId: id, projectId, title }]
    }),
  )
}

/** Clears the marks on a task: whoever looked at it found it good. */
export const acceptTask = (call: Call, id: string): Promise<TaskAnswer> =>
  changing(call, async (call) => {
    const task = await findTask(call, id)
    if (task.stale === null) return answerOf(task)
    requireVisibleMarks(call.actor, task.stale)
    const accepted = { ...task, stale: null }
    await writeMarks(call, [accepted], () => areShownChanged(task.stale, null, task.doc.projectId))
    return answerOf(accepted)
  })

/** Tasks came back, and so do the marks on them. */
export const queueStaleChecks = async ({ db, actor, clock }: Call, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  const nowMs = clock()
  await db.runAll([
    queueReturned(db, actor.tenantId, ids, nowMs),
    ...noteDue(db, { tenantId: actor.tenantId, kind: 'stale_checks', dueAtMs: nowMs }, nowMs),
  ])
}
