import { isoTime } from '../../../base/clock.js'
import type { SkippedLink } from '../../../changelog/versions/schema.js'
import type { Call } from '../../../operations/call.js'
import { firstOf, statusIn } from '../../../tenancy/projects/statuses.js'
import { noClaims } from '../claims/rules.js'
import * as rows from '../row-store.js'
import type { TaskVersion } from '../schema.js'
import { queueStaleChecks } from '../stale.js'
import { createStatuses } from '../statuses/service.js'
import * as store from '../store.js'
import { noCounts, numberOf, type StoredTask } from '../stored-task.js'
import { propagate } from '../structure/propagate.js'
import { appearanceOf } from '../structure/seen.js'
import type { TaskRest } from '../write/record.js'
import { linkInside, linkOutside, relinkDependents } from './links.js'
import { freeExternalId, livingAssignee } from './possible.js'
import { countAgain, settle } from './settle.js'

/** A task as it was deleted. */
export interface DeletedTask {
  version: TaskVersion
  rest: TaskRest
}

/** Puts deleted tasks back, as their next versions; their links and whatever is counted follow. */
const insertDeleted = async (
  call: Call,
  deleted: readonly DeletedTask[],
  skipped: SkippedLink[],
): Promise<StoredTask[]> => {
  const { db, actor, clock } = call
  const updatedAt = isoTime(clock())
  const inserted: StoredTask[] = []
  const statusesNow = createStatuses(call)
  for (const { version, rest } of deleted) {
    const { assignee: was, ...fields } = version
    const assignee = await livingAssignee(call, fields.id, was, skipped)
    const statuses = await statusesNow(fields.projectId)
    const task: StoredTask = {
      doc: {
        ...fields,
        // Its claim has ended with it.
        ...(rest.isClaimed && fields.statusCategory === 'in_progress'
          ? firstOf(statuses, 'todo')
          : statusIn(statuses, fields)),
        externalId: await freeExternalId(call, fields, skipped),
        version: fields.version + 1,
        updatedAt,
      },
      assignee,
      assigneeId: assignee?.id ?? null,
      claims: { ...noClaims, number: rest.claimNumber },
      counts: noCounts,
      work: rest.work,
      statuses,
      stale: null,
      wakeAtMs: null,
      number: rest.number ?? numberOf(fields.id),
      rank: rest.rank,
    }
    await db.runAll(rows.insertTask(db, actor.tenantId, task))
    inserted.push(task)
  }
  await queueStaleChecks(
    call,
    inserted.map(({ doc }) => doc.id),
  )
  return inserted
}

/**
 * Brings tasks that were deleted together back, with the links that they had. `back` are those of them that came back
 * before and are as they were.
 */
export const restoreTasks = async (
  call: Call,
  deleted: readonly DeletedTask[],
  maxAttempts: number,
  undoes: (taskId: string) => string | undefined,
  back: ReadonlySet<string> = new Set(),
): Promise<SkippedLink[]> => {
  const { db, actor } = call
  const skipped: SkippedLink[] = []
  const ids = deleted.map(({ version }) => version.id)
  const inside = new Set(ids)
  const isInside = (id: string): boolean => inside.has(id) || back.has(id)
  call.work?.expect('change', deleted.length)
  const inserted = await insertDeleted(call, deleted, skipped)
  await linkInside(call, inserted, isInside)
  await linkOutside(call, inserted, isInside, skipped)
  await countAgain(call, ids)
  const tasks = await store.findTasks(db, actor.tenantId, ids)
  await settle(call, tasks, maxAttempts, undoes)
  const ofOthers = tasks.filter(({ doc: { parentId } }) => parentId !== null && !inside.has(parentId))
  await propagate(
    call,
    ofOthers.map((task) => ({ before: null, after: appearanceOf(task), ancestorsStep: 0 })),
  )
  for (const { version, rest } of deleted) await relinkDependents(call, version.id, rest.dependents, skipped)
  return skipped
}
