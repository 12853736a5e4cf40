import type { Sql } from '../db/port.js'
import type { IndexFilter } from './filter.js'
import type { Meaning } from './meaning.js'
import type { FoundTask, TaskSearch, TaskSearchFilters } from './protocol.js'
import { parseQuery } from './query.js'
import { facet, taskText } from './records.js'
import { searchRecords } from './search-records.js'
import { tasksById } from './store.js'
import type { TenantIndex } from './tenant-index.js'

const TASK_ID = /^[A-Z][A-Z0-9]{1,9}-[1-9]\d*$/

const taskFilter = (filters: TaskSearchFilters): IndexFilter => {
  const facets: string[][] = []
  if (filters.statuses) facets.push(filters.statuses.map(facet.status))
  if (filters.priorities) facets.push(filters.priorities.map(facet.priority))
  if (filters.assigneeIds) facets.push(filters.assigneeIds.map(facet.assignee))
  if (filters.labels) facets.push(filters.labels.map(facet.label))
  return {
    facets,
    ...(filters.projectIds && { scopes: filters.projectIds }),
    ...(filters.dueBeforeMs !== undefined && { dueBefore: filters.dueBeforeMs }),
    ...(filters.dueAfterMs !== undefined && { dueAfter: filters.dueAfterMs }),
    ...(filters.updatedAfterMs !== undefined && { updatedAfter: filters.updatedAfterMs }),
  }
}

export const searchTasks = async (
  db: Sql,
  tenantId: string,
  { tasks: index, taskSignatures: signatures }: TenantIndex,
  { text, filters, top, from, to, isExplained = false }: TaskSearch,
  meaning: Promise<Meaning | undefined>,
): Promise<{ hits: FoundTask[]; total: number }> => {
  const query = parseQuery(text)
  const id = query.text.toUpperCase()
  const { hits, total } = await searchRecords({
    db,
    tenantId,
    kind: 'task',
    index,
    signatures,
    meaning,
    query,
    filter: taskFilter(filters),
    exactRefs: TASK_ID.test(id) ? [id] : [],
    top,
    from,
    to,
    isExplained,
    textsOf: async (names) => {
      const ids = names.map(({ ref }) => ref)
      const rows = await tasksById(db, tenantId, ids)
      return new Map(
        rows.map((row) => {
          const { title, description } = taskText(row)
          return [row.id, [title, description]]
        }),
      )
    },
  })
  return { total, hits: hits.map(({ ref, score, explain }) => ({ id: ref, score, explain })) }
}
