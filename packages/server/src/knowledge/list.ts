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
  const rows = await store.listItems(call.db, tenantId, range, isContentWanted, limit + 1)
  const page = pageOf(rows, limit, (last) => encodeCursor(fingerprint, [last.key, last.project_id]))
  return { ...page, items: page.items.map((row) => (isContentWanted ? store.itemJson(row) : `${row.meta}}`)) }
}
