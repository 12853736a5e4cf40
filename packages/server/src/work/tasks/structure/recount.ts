import { readyTopic } from '../../../db/topics.js'
import { type Call, changing } from '../../../operations/call.js'
import { createMaxAttempts } from '../../../tenancy/projects/service.js'
import { isReady, readinessOf } from '../queue/readiness-store.js'
import { queuedTask } from '../queue/ready.js'
import { dequeue, enqueue } from '../queue/ready-store.js'
import * as rows from '../row-store.js'
import { findTasks } from '../store.js'
import { findAncestors } from './link-store.js'
import { findNodes } from './node-store.js'
import { countTasksAfter, isCorrect, setCounts } from './recount-store.js'

const tasksPerStep = 100

/** Calls `step` with the last task of the previous step, until it returns undefined. */
const inSteps = async (call: Call, step: (call: Call, after: string) => Promise<string | undefined>): Promise<void> => {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const last: string = after
    after = await changing(call, (call) => step(call, last))
  }
}

/** Returns how many tasks of a tenant show wrong counts. */
export const countWrongCounts = async ({ db, actor }: Call): Promise<number> => {
  let wrong = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const tasks = await countTasksAfter(db, actor.tenantId, after, tasksPerStep)
    wrong += tasks.filter((task) => !isCorrect(task)).length
    after = tasks.at(-1)?.id
  }
  return wrong
}

/** Recounts the blocked ancestors of tasks, and adds the tasks to the queue or removes them from it. */
const requeueTasks = async (call: Call, ids: readonly string[]): Promise<void> => {
  const { db, actor } = call
  const maxAttempts = createMaxAttempts(call)
  const ready = []
  for (const task of await findTasks(db, actor.tenantId, ids)) {
    const { doc, counts } = task
    const ancestors = doc.parentId === null ? [] : await findAncestors(db, actor.tenantId, doc.id)
    const blocked = (await findNodes(db, actor.tenantId, ancestors)).filter(({ openBlockers }) => openBlockers > 0)
    const after = { ...task, counts: { ...counts, blockedAncestors: blocked.length } }
    if (counts.blockedAncestors !== blocked.length) await db.runAll(rows.updateTask(db, actor.tenantId, task, after))
    if (isReady(readinessOf(after), await maxAttempts(doc.projectId))) ready.push(queuedTask(after))
  }
  await db.runAll([...dequeue(db, actor.tenantId, ids), ...enqueue(db, actor.tenantId, ready)])
  if (ready.length > 0) db.announce(readyTopic(actor.tenantId))
}

/**
 * Recounts what belongs to each task of a tenant, rebuilds the queue, and returns how many tasks showed wrong counts.
 */
export const rebuildCounts = async (call: Call): Promise<number> => {
  let corrected = 0
  await inSteps(call, async ({ db, actor }, after) => {
    const tasks = await countTasksAfter(db, actor.tenantId, after, tasksPerStep)
    const wrong = tasks.filter((task) => !isCorrect(task))
    await db.runAll(wrong.map((task) => setCounts(actor.tenantId, task)))
    corrected += wrong.length
    return tasks.at(-1)?.id
  })
  // Blocked ancestors depend on the counts of all tasks.
  await inSteps(call, async (call, after) => {
    const tasks = await countTasksAfter(call.db, call.actor.tenantId, after, tasksPerStep)
    await requeueTasks(
      call,
      tasks.map(({ id }) => id),
    )
    return tasks.at(-1)?.id
  })
  return corrected
}
