import type { Call } from '../call.js'
import { isoTime } from '../clock.js'
import { invalid } from '../errors.js'
import { projectNamed } from '../projects/service.js'
import type { SearchEngine } from '../search/engine.js'
import type { KnowledgeSearchQuery } from './schema.js'

export interface FoundItems {
  /** As JSON, best first. */
  items: string[]
  isSemantic: boolean
}

/** The places to look in, the empty one for what is tenant-wide; null is all that there are. */
const placesOf = async (call: Call, { projectId, includeTenant }: KnowledgeSearchQuery): Promise<string[] | null> => {
  if (projectId !== undefined) {
    const { id } = await projectNamed(call, projectId)
    return includeTenant ? ['', id] : [id]
  }
  return call.actor.projectIds && ['', ...call.actor.projectIds]
}

export const searchItems = async (
  call: Call,
  engine: SearchEngine,
  query: KnowledgeSearchQuery,
): Promise<FoundItems> => {
  const text = query.q.trim()
  if (text === '') throw invalid({ path: 'q', message: 'must say what to look for' })
  const { hits, isSemantic } = await engine.searchKnowledge(call.actor.tenantId, {
    text,
    scopes: await placesOf(call, query),
    prefix: query.prefix,
    limit: query.limit ?? 10,
    minScore: query.minScore,
    isExplained: query.explain ?? false,
  })
  const items = hits.map(({ key, content, score, projectId, updatedAtMs, snippet, explain }) => {
    const rest = { score, projectId: projectId || null, updatedAt: isoTime(updatedAtMs), snippet, explain }
    return `{"key":${JSON.stringify(key)},"content":${content},${JSON.stringify(rest).slice(1)}`
  })
  return { items, isSemantic }
}
