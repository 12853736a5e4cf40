import type { Call } from '../call.js'
import { invalid } from '../errors.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../paging.js'
import { projectNamed } from '../projects/service.js'
import { endOfPrefix } from './key.js'
import type { KnowledgeListQuery } from './schema.js'
import * as store from './store.js'

/** The places a list covers: null is all that there are. */
const placesOf = async (call: Call, { projectId, scope = 'all' }: KnowledgeListQuery): Promise<string[] | null> => {
  if (projectId !== undefined) return [(await projectNamed(call, projectId)).id]
  if (scope === 'tenant') return ['']
  const { projectIds } = call.actor
  if (projectIds === null) return null
  return scope === 'project' ? [...projectIds] : ['', ...projectIds]
}

/** Contents can be a megabyte each, so a page also ends where it has grown this long. */
const maxPageLength = 8_388_608
const firstStep = 25

/** Reads rows in steps that grow where contents are small, until there are enough or the page is long enough. */
const readRows = async (
  call: Call,
  range: store.ItemRange,
  isContentWanted: boolean,
  wanted: number,
): Promise<{ rows: store.ListedRow[]; isCut: boolean }> => {
  const rows: store.ListedRow[] = []
  let length = 0
  let step = isContentWanted ? firstStep : wanted
  for (;;) {
    const last = rows.at(-1)
    const from: store.ItemRange = last ? { ...range, after: [last.key, last.project_id] } : range
    const count = Math.min(step, wanted - rows.length)
    const more = await store.listItems(call.db, call.actor.tenantId, from, isContentWanted, count)
    for (const row of more) {
      rows.push(row)
      length += row.json.length
      if (length > maxPageLength) return { rows, isCut: true }
    }
    if (more.length < count || rows.length === wanted) return { rows, isCut: false }
    step = Math.max(firstStep, Math.floor((maxPageLength - length) / (length / rows.length + 1)))
  }
}

/** The items as JSON, one text each, ordered by key. */
export const listItems = async (call: Call, query: KnowledgeListQuery): Promise<Page<string>> => {
  if (query.projectId !== undefined && query.scope !== undefined) {
    throw invalid({ path: 'scope', message: 'cannot stand together with projectId, which names one project already' })
  }
  const { tenantId } = call.actor
  const { limit = 100, prefix = '', scope = 'all', cursor } = query
  const isContentWanted = query.fields !== 'key'
  const projectIds = await placesOf(call, query)
  const fingerprint = listFingerprint([tenantId, 'knowledge', projectIds, scope, prefix])
  const range: store.ItemRange = {
    projectIds,
    isProjectsOnly: projectIds === null && scope === 'project',
    fromKey: prefix,
    endKey: endOfPrefix(prefix),
    after: cursor === undefined ? undefined : decodeCursor<[string, string]>(cursor, fingerprint, ['text', 'text']),
  }
  const { rows, isCut } = await readRows(call, range, isContentWanted, limit + 1)
  // The row that made the page too long is left for the next one; no row is that long alone.
  const page = pageOf(rows, isCut ? rows.length - 1 : limit, (last) =>
    encodeCursor(fingerprint, [last.key, last.project_id]),
  )
  return { ...page, items: page.items.map(({ json }) => json) }
}
