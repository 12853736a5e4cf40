import type { Caller, Hit, SearchEngine } from 'worklore-search'
import { invalid } from '../../../base/errors.js'
import { toJson } from '../../../base/json.js'
import type { Call } from '../../../operations/call.js'
import { withVisibleMarks } from '../../fields/stale-marks.js'
import type { VectorUse } from '../../search/result.js'
import { hasComments } from '../comments/service.js'
import { indexFilter, needsStore, resolveFilters, type TaskFilters } from '../lists/filters.js'
import type { TaskPage, TaskPageInfo } from '../lists/list.js'
import { listMatching } from '../lists/list-store.js'
import type { TaskSearch } from '../schema.js'
import { findTasksJson, type WantedTask } from '../store.js'

/** No more than these are ranked; whoever wants others says more. */
const rankedTasks = 300

interface FoundTasks extends TaskPage, VectorUse {
  isComplete: boolean
}

interface TaskHit extends Hit {
  /** What besides the task itself matched. */
  matched?: readonly 'comments'[]
}

const withScore = ({ ref, score, explain, matched }: TaskHit): WantedTask => ({
  id: ref,
  more: toJson({ score, matched, explain }),
})

/** What is said about a task weighs less than what it says itself. */
const commentWeight = 0.6

/** The tasks that were found by themselves or by their comments, best first. */
const mergeHits = (tasks: readonly Hit[], comments: readonly Hit[]): TaskHit[] => {
  const merged = new Map<string, TaskHit>(tasks.map((hit) => [hit.ref, hit]))
  for (const hit of comments) {
    const score = hit.score * commentWeight
    const known = merged.get(hit.ref)
    const better = known && known.score >= score ? known : { ...hit, score }
    merged.set(hit.ref, { ...better, matched: ['comments'] })
  }
  return [...merged.values()].sort((one, other) => other.score - one.score).slice(0, rankedTasks)
}

/** Claims and links change without the index being told, so the store tells which of the hits match. */
const matchingHits = async (call: Call, filters: TaskFilters, hits: readonly TaskHit[]): Promise<TaskHit[]> => {
  const ids = await listMatching(
    call.db,
    call.actor.tenantId,
    filters,
    hits.map(({ ref }) => ref),
  )
  return hits.filter(({ ref }) => ids.has(ref))
}

/** The tasks that match, best first, each with its score. */
export const searchTasks = async (
  call: Call,
  engine: SearchEngine,
  query: TaskSearch,
  caller?: Caller,
): Promise<FoundTasks> => {
  const { page = 1, limit = 50 } = query
  const text = query.q.trim()
  if (text === '') throw invalid({ path: 'q', message: 'must not be blank' })
  const filters = await resolveFilters(call, query)
  const range = { from: (page - 1) * limit, to: page * limit }
  const areComments = await hasComments(call)
  const isStoreAsked = needsStore(filters)
  // What is merged or filtered here is cut into pages here.
  const isWhole = areComments || isStoreAsked
  const search = (collection: 'task' | 'comment') =>
    engine.search(
      call.actor.tenantId,
      {
        collection,
        text,
        filter: indexFilter(filters),
        top: rankedTasks,
        ...(isWhole ? { from: 0, to: rankedTasks } : range),
        isExplained: query.explain ?? false,
      },
      caller,
    )
  const [found, inComments] = await Promise.all([search('task'), areComments ? search('comment') : undefined])
  // Comments have no vectors.
  const { isSemantic, vectorChange, isComplete } = found
  const merged = inComments ? mergeHits(found.hits, inComments.hits) : found.hits
  const matching = isStoreAsked ? await matchingHits(call, filters, merged) : merged
  const hits = isWhole ? matching.slice(range.from, range.to) : matching
  const matches = isWhole ? Math.max(matching.length, isStoreAsked ? 0 : found.total) : found.total
  // Those that were not ranked are not asked for, though they may match.
  const isCut = isStoreAsked && [found, inComments].some((each) => each !== undefined && each.total > rankedTasks)
  const tasks = withVisibleMarks(call.actor, await findTasksJson(call.db, call.actor.tenantId, hits.map(withScore)))
  const total = Math.min(matches, rankedTasks)
  const totalPages = Math.ceil(total / limit)
  const pagination: TaskPageInfo = {
    page,
    limit,
    total,
    ...((isCut || matches > total) && { totalIsCapped: true }),
    totalPages,
    hasMore: page < totalPages,
    nextCursor: null,
  }
  return { tasks, pagination, isSemantic, isComplete, vectorChange }
}
