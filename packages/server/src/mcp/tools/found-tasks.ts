import type { Call } from '../../call.js'
import type { Json } from '../../json.js'
import type { OperationCall } from '../../operations/operation.js'
import { briefTasks } from '../../tasks/brief.js'
import type { Task, TaskFilterInput } from '../../tasks/schema.js'
import { searchTasks } from '../../tasks/search.js'
import { countFitting } from '../budget.js'
import { taskLine } from '../task-text.js'
import { totalText } from '../text.js'
import { endOfRanking, type SearchPage } from './search-page.js'

export const taskLines = (call: Call, json: Json<Task[]>): string[] => {
  const nowMs = call.clock()
  return briefTasks(json).map((task) => taskLine(task, nowMs))
}

/** Later pages are cut out of pages of this size, since an answer may have ended anywhere. */
const pageSize = 100

/** Lines of the tasks that a search found, the best first. */
export const foundTasks = async (
  call: OperationCall,
  query: { q: string } & TaskFilterInput,
  { start, limit, budget, cursorAt }: SearchPage,
): Promise<string> => {
  const page = start === 0 ? { page: 1, limit } : { page: Math.floor(start / pageSize) + 1, limit: pageSize }
  const { tasks, pagination } = await searchTasks(call, call.core.search, { ...query, ...page })
  const skipped = start % page.limit
  const lines = taskLines(call, tasks).slice(skipped, skipped + limit)
  if (lines.length === 0) return 'No tasks match.'
  const shown = lines.slice(0, countFitting(lines, budget))
  const next = start + shown.length
  const { total = 0, totalIsCapped } = pagination
  const more = next < total ? `, more: cursor ${cursorAt(next)}` : totalIsCapped ? endOfRanking : ''
  return [...shown, `${shown.length} of ${totalText(pagination)}${more}`].join('\n')
}
