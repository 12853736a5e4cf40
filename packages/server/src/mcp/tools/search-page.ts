import { decodeCursor, encodeCursor, listFingerprint } from '../../base/paging.js'
import type { OperationCall } from '../../operations/operation.js'
import type { TaskFilterInput } from '../../work/tasks/lists/filters.js'
import { searchTasks } from '../../work/tasks/operations.js'
import { countFitting } from '../budget.js'
import { run } from '../run.js'
import { taskLines } from '../text/task-line.js'
import { totalText } from '../text/text.js'

/** Which of the results of a search are wanted, and how the next call asks for those after them. */
export interface SearchPage {
  readonly start: number
  readonly limit: number
  readonly budget: number
  cursorAt(next: number): string
}

export const searchPage = (
  call: OperationCall,
  query: object,
  { cursor, ...rest }: { cursor: string | undefined; limit: number; budget: number },
): SearchPage => {
  const fingerprint = listFingerprint([call.actor.tenantId, 'search', query])
  const [next] = cursor === undefined ? [0] : decodeCursor<[number]>(cursor, fingerprint, ['integer'])
  return { ...rest, start: Math.max(0, next), cursorAt: (next) => encodeCursor(fingerprint, [next]) }
}

/** Where the last result that is ranked was shown, and more match. */
export const endOfRanking = ', no more are ranked: narrow the query'

/** Heading for results that were found by ignoring the quotes in the query. */
export const relaxedText = (kind: 'task' | 'note'): string => `No ${kind} contains the phrase. Results without quotes:`

/** Later pages are cut out of pages of this size, since an answer may have ended anywhere. */
const pageSize = 100

/** Lines of the tasks that a search found, the best first. */
export const foundTasks = async (
  call: OperationCall,
  query: { q: string } & TaskFilterInput,
  { start, limit, budget, cursorAt }: SearchPage,
): Promise<string> => {
  const page = start === 0 ? { page: 1, limit } : { page: Math.floor(start / pageSize) + 1, limit: pageSize }
  const { data, pagination, relaxed } = await run(call, searchTasks, { ...query, ...page })
  const skipped = start % page.limit
  const found = data.slice(skipped, skipped + limit)
  if (found.length === 0) return 'No tasks match.'
  const lines = await taskLines(call, found, `${cursorAt(start + found.length)} more: cursor`)
  const shown = lines.slice(0, countFitting(lines, budget))
  const next = start + shown.length
  const { total = 0, totalIsCapped } = pagination
  const more = next < total ? `, more: cursor ${cursorAt(next)}` : totalIsCapped ? endOfRanking : ''
  const heading = relaxed ? [relaxedText('task')] : []
  return [...heading, ...shown, `${shown.length} of ${totalText(pagination)}${more}`].join('\n')
}
