import type { Caller, SearchEngine } from 'worklore-search'
import type { Json } from '../../base/json.js'
import type { Call } from '../../operations/call.js'
import { defaultSimilarScore } from '../search/schema.js'
import type { KnowledgeHit, KnowledgeItem, SimilarItem } from './schema.js'
import { refOf, subjectOf } from './search-source.js'

const maxSimilar = 10

/** The notes whose subject is that of a note, best first, without itself. */
export const similarItems = async (
  call: Call,
  engine: SearchEngine,
  json: Json<KnowledgeItem>,
  caller?: Caller,
): Promise<SimilarItem[]> => {
  const { key, projectId, content } = JSON.parse(json) as KnowledgeItem
  const { tenantId, projectIds } = call.actor
  const { hits } = await engine.search(
    tenantId,
    {
      collection: 'knowledge',
      text: subjectOf(key, content),
      isLiteral: true,
      filter: { exceptRef: refOf(key, projectId ?? ''), ...(projectIds && { scopes: ['', ...projectIds] }) },
      top: maxSimilar,
      from: 0,
      to: maxSimilar,
      minScore: defaultSimilarScore,
      isRendered: true,
    },
    caller,
  )
  return hits.map((hit) => {
    const { key, projectId, score, snippet } = JSON.parse(hit) as KnowledgeHit
    return { key, projectId, score, snippet }
  })
}
