import type { Caller, SearchEngine } from 'worklore-search'
import { invalid } from '../../../base/errors.js'
import type { Json } from '../../../base/json.js'
import { type ProjectSet, withTenantWide } from '../../../base/project-set.js'
import type { Call } from '../../../operations/call.js'
import { projectNamed } from '../../../tenancy/projects/service.js'
import { scopesOf } from '../../search/query.js'
import type { SearchBasis } from '../../search/result.js'
import { defaultPassages } from '../../search/schema.js'
import type { KnowledgeHit, KnowledgeSearch } from '../schema.js'
import { indexFilter } from './source.js'

interface FoundItems extends SearchBasis {
  isComplete: boolean
  /** Best first. */
  items: Json<KnowledgeHit>[]
}

/** The places to look in, the empty one for what is tenant-wide. */
const placesOf = async (call: Call, { projectId, includeTenant }: KnowledgeSearch): Promise<ProjectSet> => {
  if (projectId !== undefined) {
    const { id } = await projectNamed(call, projectId)
    return includeTenant ? ['', id] : [id]
  }
  return withTenantWide(call.actor.projectIds)
}

export const searchItems = async (
  call: Call,
  engine: SearchEngine,
  query: KnowledgeSearch,
  caller?: Caller,
): Promise<FoundItems> => {
  const text = query.q.trim()
  if (text === '') throw invalid({ path: 'q', message: 'must not be blank' })
  const { limit = 10, prefix, minScore, explain: isExplained = false, passages = defaultPassages, fields } = query
  const places = await placesOf(call, query)
  const nowMs = call.clock()
  const filter = indexFilter(query, nowMs)
  const {
    hits: items,
    isSemantic,
    isComplete,
    vectorChange,
    nextDue,
  } = await engine.search(
    call.actor.tenantId,
    {
      collection: 'knowledge',
      text,
      filter: { ...filter, ...scopesOf(places), ...(prefix && { namePrefix: prefix }) },
      at: nowMs,
      top: limit,
      from: 0,
      to: limit,
      minScore,
      isExplained,
      isRendered: true,
      passages,
      isBrief: fields === 'key',
    },
    caller,
  )
  return { items, isSemantic, isComplete, vectorChange, nextDue }
}

/** The notes of a project and of the tenant that hold and fit a text, best first, each with its best passages. */
export const itemsAbout = async (
  call: Call,
  engine: SearchEngine,
  text: string,
  { projectId, limit, passages }: { projectId: string; limit: number; passages: number },
  caller?: Caller,
): Promise<KnowledgeHit[]> => {
  const nowMs = call.clock()
  const { hits } = await engine.search(
    call.actor.tenantId,
    {
      collection: 'knowledge',
      text,
      isLiteral: true,
      filter: { ...indexFilter({}, nowMs), scopes: ['', projectId] },
      at: nowMs,
      top: limit,
      from: 0,
      to: limit,
      isRendered: true,
      isBrief: true,
      passages,
    },
    caller,
  )
  return hits.map((hit) => JSON.parse(hit) as KnowledgeHit)
}
