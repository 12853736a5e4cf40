import type { Caller, SearchEngine } from 'worklore-search'
import { AppError } from '../../../base/errors.js'
import type { Json } from '../../../base/json.js'
import { type ProjectSet, withTenantWide } from '../../../base/project-set.js'
import type { Call } from '../../../operations/call.js'
import { scopesOf } from '../../search/query.js'
import { defaultSimilarScore, duplicateScore, maxDuplicates } from '../../search/schema.js'
import type { DuplicateItem, KnowledgeHit, KnowledgeItem, SimilarItem } from '../schema.js'
import { indexFilter, subjectOf } from './source.js'

const maxSimilar = 10

/** Searches for valid items on the subject of an item, best first, excluding the item itself. */
const itemsLike = async (
  call: Call,
  engine: SearchEngine,
  { id, key, title, content }: KnowledgeItem,
  wanted: { places: ProjectSet; top: number; minScore: number },
  caller?: Caller,
): Promise<SimilarItem[]> => {
  const nowMs = call.clock()
  const { places, top, minScore } = wanted
  const { hits } = await engine.search(
    call.actor.tenantId,
    {
      collection: 'knowledge',
      text: subjectOf(key, title, content),
      isLiteral: true,
      filter: { ...indexFilter({}, nowMs), exceptRef: id, ...scopesOf(places) },
      top,
      from: 0,
      to: top,
      minScore,
      at: nowMs,
      isRendered: true,
      isBrief: true,
    },
    caller,
  )
  return hits.map((hit) => {
    const { key, projectId, score, snippet, foundBy } = JSON.parse(hit) as KnowledgeHit
    return { key, projectId, score, snippet, ...(foundBy !== undefined && { foundBy }) }
  })
}

/** Returns items on the same subject from everywhere the caller may read. */
export const similarItems = (
  call: Call,
  engine: SearchEngine,
  json: Json<KnowledgeItem>,
  caller?: Caller,
): Promise<SimilarItem[]> => {
  const wanted = { places: withTenantWide(call.actor.projectIds), top: maxSimilar, minScore: defaultSimilarScore }
  return itemsLike(call, engine, JSON.parse(json) as KnowledgeItem, wanted, caller)
}

/** Returns possible duplicates of a written item in its namespace, or null if search is unavailable. */
export const duplicatesOf = async (
  call: Call,
  engine: SearchEngine,
  item: KnowledgeItem,
  caller?: Caller,
): Promise<DuplicateItem[] | null> => {
  const wanted = { places: [item.projectId ?? ''], top: maxDuplicates, minScore: duplicateScore }
  try {
    const found = await itemsLike(call, engine, item, wanted, caller)
    return found.map(({ projectId: _, ...duplicate }) => duplicate)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
