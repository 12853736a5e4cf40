import { plainSnippet } from 'worklore-search'
import type { Json } from '../../base/json.js'
import type { KnowledgeHit } from './schema.js'

/** What a search found of an item, without its content; the snippet is plain text. */
type BriefHit = Omit<KnowledgeHit, 'content'>

export const briefHits = (json: Json<KnowledgeHit[]>): BriefHit[] =>
  (JSON.parse(json) as KnowledgeHit[]).map(({ content, ...hit }) => ({ ...hit, snippet: plainSnippet(hit.snippet) }))
