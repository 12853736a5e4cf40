import type { Caller, SearchEngine } from 'worklore-search'
import { type Json, joinObjects } from '../../base/json.js'
import type { Call } from '../../operations/call.js'
import type { KnowledgeHit } from '../../work/knowledge/schema.js'
import { searchItems } from '../../work/knowledge/search/search.js'
import type { SearchBasis } from '../../work/search/result.js'
import { noiseScore } from '../../work/search/schema.js'
import type { FoundTask } from '../../work/tasks/schema.js'
import { searchTasks } from '../../work/tasks/search/search.js'
import type { SearchEverything, SearchedKind } from './schema.js'

interface FoundPart extends SearchBasis {
  isComplete: boolean
}

interface FoundRecords extends FoundPart {
  /** Best first. */
  hits: Json<object>[]
}

interface ScoredJson {
  json: string
  score: number
}

/** Of several searches that are answered as one. */
const basisOf = (searches: readonly FoundPart[]): FoundPart => {
  const incomplete = searches.find(({ isComplete }) => !isComplete)
  const changes = new Set((incomplete ? [incomplete] : searches).map(({ vectorChange }) => vectorChange))
  return {
    isSemantic: searches.some(({ isSemantic }) => isSemantic),
    isComplete: incomplete === undefined,
    vectorChange: changes.size === 1 ? [...changes][0] : undefined,
    nextDue: searches.find(({ nextDue }) => nextDue !== undefined)?.nextDue,
  }
}

const ofKind = (kind: 'task' | 'knowledge', json: string, score: number): ScoredJson => ({
  json: joinObjects(JSON.stringify({ kind }), json),
  score,
})

/** Tasks and notes in one list: their scores mean the same. */
export const searchEverything = async (
  call: Call,
  engine: SearchEngine,
  kinds: readonly SearchedKind[],
  query: SearchEverything,
  caller?: Caller,
): Promise<FoundRecords> => {
  const { q, projectId, includeTenant, tag, trust, state, limit = 10, minScore = noiseScore, explain } = query
  const wanted = { q, limit, ...(explain !== undefined && { explain }) }
  const searches: FoundPart[] = []
  const tasks = async (): Promise<ScoredJson[]> => {
    const found = await searchTasks(call, engine, { ...wanted, ...(projectId && { projectId: [projectId] }) }, caller)
    searches.push(found)
    return (JSON.parse(found.tasks) as FoundTask[]).map((task) => ofKind('task', JSON.stringify(task), task.score))
  }
  const notes = async (): Promise<ScoredJson[]> => {
    const filters = {
      ...(projectId && { projectId }),
      ...(includeTenant && { includeTenant }),
      ...(tag !== undefined && { tag }),
      ...(trust && { trust }),
      ...(state && { state }),
      ...(query.passages !== undefined && { passages: query.passages }),
      ...(query.fields && { fields: query.fields }),
    }
    const found = await searchItems(call, engine, { ...wanted, ...filters, minScore }, caller)
    searches.push(found)
    return found.items.map((json) => ofKind('knowledge', json, (JSON.parse(json) as KnowledgeHit).score))
  }
  const found = await Promise.all(kinds.map((kind) => (kind === 'tasks' ? tasks() : notes())))
  const hits = found
    .flat()
    .filter(({ score }) => score >= minScore)
    .sort((a, b) => b.score - a.score)
  return { hits: hits.slice(0, limit).map(({ json }) => json as Json<object>), ...basisOf(searches) }
}
