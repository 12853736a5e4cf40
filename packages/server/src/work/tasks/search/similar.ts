import type { Caller, SearchEngine } from 'worklore-search'
import { AppError, notFound } from '../../../base/errors.js'
import { type Json, toJson } from '../../../base/json.js'
import type { ProjectSet } from '../../../base/project-set.js'
import { requireProject } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { projectIdNamed } from '../../../tenancy/projects/service.js'
import type { Category } from '../../../tenancy/projects/statuses.js'
import { withVisibleMarks } from '../../fields/stale-marks.js'
import type { VectorUse } from '../../search/result.js'
import { defaultSimilarScore, duplicateScore, maxDuplicates } from '../../search/schema.js'
import { indexFilter } from '../lists/filters.js'
import type { NamedTask } from '../related.js'
import type { NewTask, SimilarTask, SimilarTasks, Task } from '../schema.js'
import { findTasksJson, type WantedTask } from '../store.js'
import { titleOf } from './search-source.js'
import { findTasks } from './search-store.js'

interface FoundSimilar extends VectorUse {
  /** Each with its score. */
  tasks: Json<Task[]>
}

interface Wanted {
  title: string
  projectIds: ProjectSet
  statuses?: readonly Category[]
  exceptRef?: string
  limit: number
  minScore: number
}

const search = (
  call: Call,
  engine: SearchEngine,
  { title, projectIds, statuses, exceptRef, limit, minScore }: Wanted,
  caller?: Caller,
) =>
  engine.search(
    call.actor.tenantId,
    {
      collection: 'task',
      text: title,
      isLiteral: true,
      filter: {
        ...indexFilter({ projectId: projectIds, ...(statuses && { status: { categories: statuses } }) }),
        ...(exceptRef && { exceptRef }),
      },
      top: limit,
      from: 0,
      to: limit,
      minScore,
    },
    caller,
  )

/** The tasks whose subject is that of a task, best first, without itself. */
export const similarTasks = async (
  call: Call,
  engine: SearchEngine,
  { taskId, limit = 10, minScore = defaultSimilarScore }: SimilarTasks,
  caller?: Caller,
): Promise<FoundSimilar> => {
  const { tenantId, projectIds } = call.actor
  const [task] = await findTasks(call.db, tenantId, [taskId])
  const missing = () => notFound('task', taskId)
  if (!task) throw missing()
  requireProject(call, task.project_id, missing)
  const wanted = { title: titleOf(task), projectIds, exceptRef: taskId, limit, minScore }
  const { hits, isSemantic, vectorChange } = await search(call, engine, wanted, caller)
  const withScores = hits.map(({ ref, score }): WantedTask => ({ id: ref, more: toJson({ score }) }))
  const tasks = withVisibleMarks(call.actor, await findTasksJson(call.db, tenantId, withScores))
  return { tasks, isSemantic, vectorChange }
}

/**
 * The tasks of its project that a new task may be a duplicate of. To find none must not keep anyone from creating a
 * task: null where search is out of reach, or where the project is one that the task will be refused for.
 */
export const duplicatesOf = async (
  call: Call,
  engine: SearchEngine,
  { projectId, title }: Pick<NewTask, 'projectId' | 'title'>,
  caller?: Caller,
): Promise<SimilarTask[] | null> => {
  try {
    const project = await projectIdNamed(call, projectId)
    const wanted = { title, projectIds: [project], limit: maxDuplicates, minScore: duplicateScore }
    const { hits } = await search(call, engine, wanted, caller)
    const scores = new Map(hits.map(({ ref, score }) => [ref, score]))
    const tasks = await findTasks(
      call.db,
      call.actor.tenantId,
      hits.map(({ ref }) => ref),
    )
    return tasks
      .map((task) => ({
        id: task.id,
        title: titleOf(task),
        status: task.custom_status ?? task.status,
        score: scores.get(task.id)!,
      }))
      .sort((a, b) => b.score - a.score)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** The tasks of a project in some statuses that are about what a text says, best first, without one of them. */
export const tasksAbout = async (
  call: Call,
  engine: SearchEngine,
  text: string,
  {
    projectId,
    statuses,
    exceptId,
    limit,
  }: { projectId: string; statuses: readonly Category[]; exceptId: string; limit: number },
  caller?: Caller,
): Promise<NamedTask[]> => {
  const wanted = {
    title: text,
    projectIds: [projectId],
    statuses,
    exceptRef: exceptId,
    limit,
    minScore: defaultSimilarScore,
  }
  const { hits } = await search(call, engine, wanted, caller)
  return hits.map(({ ref, score }) => ({ id: ref, score }))
}
