import { AppError } from '../../base/errors.js'
import type { Preconditions } from '../../base/versions.js'
import { type Call, changing } from '../../operations/call.js'
import { expireClaim } from './claims/expire.js'
import { guard, hasLapsed } from './claims/rules.js'
import { touchTask } from './service.js'
import { findTasks } from './store.js'
import type { StoredTask } from './stored-task.js'
import { findSubtreeLevels } from './structure/link-store.js'
import { removeTasks } from './write/remove.js'

/** One more than a subtree has, so that all of it is found. */
const maxSubtree = 1_001

/** Deletes a task and its comments; with `isForced` also its subtasks. */
export const deleteTask = (call: Call, id: string, isForced: boolean, preconditions: Preconditions): Promise<void> =>
  changing(call, async (call) => {
    const task = await touchTask(call, id, preconditions)
    guard(task.claims, call.claim, call.actor, call.clock())
    const subtree = await findSubtreeLevels(call.db, call.actor.tenantId, id, maxSubtree)
    if (subtree.length > 1 && !isForced) {
      const total = task.counts.totalChildren
      throw new AppError('not_empty', `${id} has ${total} subtasks. Delete them first, or delete it by force.`)
    }
    const { db, actor, clock } = call
    call.work?.expect('change', subtree.length)
    // The deepest first, so that none has children when it goes.
    const ids = subtree.sort((one, other) => other.level - one.level).map((member) => member.id)
    const members: StoredTask[] = []
    for (const member of await findTasks(db, actor.tenantId, ids)) {
      const isOver = hasLapsed(member.claims.current, clock())
      members.push(isOver ? await expireClaim(call, member) : member)
      guard(member.claims, call.claim, actor, clock())
    }
    await removeTasks(call, members)
  })
