import type { Call } from '../call.js'
import { invalid } from '../errors.js'
import type { SearchEngine } from '../search/engine.js'
import type { FoundTask } from '../search/protocol.js'
import { resolveFilters } from './filters.js'
import type { TaskPage, TaskPageInfo } from './list.js'
import type { TaskSearchQuery } from './schema.js'
import { findTasksJson, type WantedTask } from './store.js'

/** No more than these are ranked; whoever wants others says more. */
const rankedTasks = 300

export interface FoundTasks extends TaskPage {
  isSemantic: boolean
}

const withScore = ({ id, score, explain }: FoundTask): WantedTask => ({
  id,
  more: `,"score":${score}${explain ? `,"explain":${JSON.stringify(explain)}` : ''}`,
})

/** The tasks that match, best first, each with its score. */
export const searchTasks = async (call: Call, engine: SearchEngine, query: TaskSearchQuery): Promise<FoundTasks> => {
  const { page = 1, limit = 50 } = query
  const text = query.q.trim()
  if (text === '') throw invalid({ path: 'q', message: 'must say what to look for' })
  const filters = await resolveFilters(call, query)
  const {
    hits,
    total: matches,
    isSemantic,
  } = await engine.searchTasks(call.actor.tenantId, {
    text,
    filters,
    top: rankedTasks,
    from: (page - 1) * limit,
    to: page * limit,
    isExplained: query.explain ?? false,
  })
  const tasks = await findTasksJson(call.db, call.actor.tenantId, hits.map(withScore))
  const total = Math.min(matches, rankedTasks)
  const totalPages = Math.ceil(total / limit)
  const pagination: TaskPageInfo = {
    page,
    limit,
    total,
    ...(matches > total && { totalIsCapped: true }),
    totalPages,
    hasMore: page < totalPages,
    nextCursor: null,
  }
  return { tasks, pagination, isSemantic }
}
