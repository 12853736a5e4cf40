import type { Call } from '../call.js'
import { invalid } from '../errors.js'
import type { SearchEngine } from '../search/engine.js'
import { explanationOf } from '../search/schema.js'
import { resolveFilters } from './filters.js'
import type { TaskPage } from './list.js'
import type { TaskSearchQuery } from './schema.js'
import { findTasksJson } from './store.js'

/** No more than these are ranked; whoever wants others says more. */
const rankedTasks = 300

export interface FoundTasks extends TaskPage {
  isSemantic: boolean
}

/** The tasks that match, best first, each with its score. */
export const searchTasks = async (call: Call, engine: SearchEngine, query: TaskSearchQuery): Promise<FoundTasks> => {
  const { page = 1, limit = 50 } = query
  const text = query.q.trim()
  if (text === '') throw invalid({ path: 'q', message: 'must say what to look for' })
  const filters = await resolveFilters(call, query)
  const { hits: found, isSemantic } = await engine.searchTasks(call.actor.tenantId, { text, filters, top: rankedTasks })

  const shown = found.slice((page - 1) * limit, page * limit)
  const ids = shown.map(({ id }) => id)
  const answers = await findTasksJson(call.db, call.actor.tenantId, ids)
  const tasks = shown.flatMap((hit) => {
    const json = answers.get(hit.id)
    const explain = query.explain ? `,"explain":${JSON.stringify(explanationOf(hit))}` : ''
    return json === undefined ? [] : [`${json.slice(0, -1)},"score":${hit.score}${explain}}`]
  })
  const total = found.length
  const totalPages = Math.ceil(total / limit)
  const pagination = { page, limit, total, totalPages, hasMore: page < totalPages, nextCursor: null }
  return { tasks: tasks.join(','), pagination, isSemantic }
}
