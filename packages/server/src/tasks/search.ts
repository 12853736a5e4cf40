import type { Call } from '../call.js'
import { invalid } from '../errors.js'
import type { SearchEngine } from '../search/engine.js'
import { resolveFilters } from './filters.js'
import type { TaskPage } from './list.js'
import type { TaskSearchQuery } from './schema.js'
import { findTasksJson } from './store.js'

/** No more than these are ranked; whoever wants others says more. */
const rankedTasks = 300

/** The tasks that match, best first, each with its score. */
export const searchTasks = async (call: Call, engine: SearchEngine, query: TaskSearchQuery): Promise<TaskPage> => {
  const { page = 1, limit = 50 } = query
  const text = query.q.trim()
  if (text === '') throw invalid({ path: 'q', message: 'must say what to look for' })
  const filters = await resolveFilters(call, query)
  const found = await engine.searchTasks(call.actor.tenantId, { text, filters, top: rankedTasks })

  const shown = found.slice((page - 1) * limit, page * limit)
  const ids = shown.map(({ id }) => id)
  const answers = await findTasksJson(call.db, call.actor.tenantId, ids)
  const tasks = shown.flatMap(({ id, score }) => {
    const json = answers.get(id)
    return json === undefined ? [] : [`${json.slice(0, -1)},"score":${score}}`]
  })
  const total = found.length
  const totalPages = Math.ceil(total / limit)
  return {
    tasks: tasks.join(','),
    pagination: { page, limit, total, totalPages, hasMore: page < totalPages, nextCursor: null },
  }
}
