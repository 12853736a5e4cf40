import { toJson } from '../../base/json.js'
import { mayUseProject } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import type { Comment } from './comments/schema.js'
import { listNewestComments } from './comments/store.js'
import type { FoundTask } from './schema.js'
import { findTasksJson } from './store.js'
import { findAncestors } from './structure/link-store.js'

/** A task by its id, and how well it was found. */
export interface NamedTask {
  id: string
  score: number
}

/** Those of some tasks that the caller may see, in their order. */
export const visibleTasks = async (call: Call, named: readonly NamedTask[]): Promise<FoundTask[]> => {
  if (named.length === 0) return []
  const wanted = named.map(({ id, score }) => ({ id, more: toJson({ score }) }))
  const tasks = JSON.parse(await findTasksJson(call.db, call.actor.tenantId, wanted)) as FoundTask[]
  return tasks.filter(({ projectId }) => mayUseProject(call.actor, projectId))
}

/** The parent of a task, its parent and so on. */
export const ancestorIds = ({ db, actor }: Call, taskId: string): Promise<string[]> =>
  findAncestors(db, actor.tenantId, taskId)

/** The newest comments on a task, the newest first. */
export const newestComments = async ({ db, actor }: Call, taskId: string, count: number): Promise<Comment[]> =>
  (await listNewestComments(db, actor.tenantId, taskId, undefined, count)).map((json) => JSON.parse(json) as Comment)
