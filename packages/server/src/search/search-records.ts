import type { Sql } from '../db/port.js'
import type { IndexFilter } from './filter.js'
import { phraseTest } from './phrase.js'
import type { FoundItem, FoundTask, KnowledgeSearch, TaskSearch, TaskSearchFilters } from './protocol.js'
import { type ParsedQuery, parseQuery } from './query.js'
import { facet, type KnowledgeRow, keyOfRef, knowledgeRef, taskText } from './records.js'
import { type Candidate, searchIndex } from './search-index.js'
import { createSnippets } from './snippet.js'
import { itemsAt, tasksById } from './store.js'
import type { TenantIndex } from './tenant-index.js'

// Phrases are looked for in the texts themselves, best candidates first, and in no more than these.
const MAX_TEXTS_READ = 1_000
const TEXTS_PER_READ = 50

const TASK_ID = /^[A-Z][A-Z0-9]{1,9}-[1-9]\d*$/

const phraseRule = (query: ParsedQuery): ((text: string) => boolean) | undefined => {
  const wanted = query.phrases.map(phraseTest)
  const unwanted = query.excludedPhrases.map(phraseTest)
  if (wanted.length + unwanted.length === 0) return undefined
  return (text) => wanted.every((occurs) => occurs(text)) && !unwanted.some((occurs) => occurs(text))
}

/** The candidates that the query's phrases allow, up to `top`. */
const obeying = async (
  candidates: readonly Candidate[],
  query: ParsedQuery,
  top: number,
  textsOf: (refs: readonly Candidate[]) => Promise<Map<string, string>>,
): Promise<Candidate[]> => {
  const obeys = phraseRule(query)
  if (!obeys) return candidates.slice(0, top)
  const kept: Candidate[] = []
  for (let at = 0; at < candidates.length && kept.length < top; at += TEXTS_PER_READ) {
    const some = candidates.slice(at, at + TEXTS_PER_READ)
    const texts = await textsOf(some)
    kept.push(...some.filter(({ ref }) => obeys(texts.get(ref) ?? '')))
  }
  return kept.slice(0, top)
}

const candidatesWanted = (query: ParsedQuery, top: number) =>
  query.phrases.length + query.excludedPhrases.length > 0 ? Math.max(top, MAX_TEXTS_READ) : top

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
  { tasks: index }: TenantIndex,
  { text, filters, top }: TaskSearch,
): Promise<FoundTask[]> => {
  const query = parseQuery(text)
  const id = query.text.toUpperCase()
  const candidates = searchIndex(index, {
    query,
    filter: taskFilter(filters),
    top: candidatesWanted(query, top),
    exactRefs: TASK_ID.test(id) ? [id] : [],
  })
  const found = await obeying(candidates, query, top, async (some) => {
    const rows = await tasksById(
      db,
      tenantId,
      some.map(({ ref }) => ref),
    )
    return new Map(rows.map((row) => [row.id, `${taskText(row).title}\n${taskText(row).description}`]))
  })
  return found.map(({ ref, bm25, lexical, coverage, score }) => ({ id: ref, bm25, lexical, coverage, score }))
}

const scopesOf = ({ knowledge: { documents } }: TenantIndex): string[] =>
  Array.from({ length: documents.scopes.count }, (_, id) => documents.scopes.text(id))

export const searchKnowledge = async (
  db: Sql,
  tenantId: string,
  index: TenantIndex,
  { text, scopes, prefix, limit, minScore = 0 }: KnowledgeSearch,
): Promise<FoundItem[]> => {
  const query = parseQuery(text)
  const candidates = searchIndex(index.knowledge, {
    query,
    filter: { ...(scopes && { scopes }), ...(prefix && { refPrefix: prefix }) },
    top: candidatesWanted(query, limit),
    exactRefs: (scopes ?? scopesOf(index)).toSorted().map((scope) => knowledgeRef(query.text, scope)),
  })
  const rows = new Map<string, KnowledgeRow>()
  const read = async (some: readonly Candidate[]) => {
    const places = some.map(({ ref, scope }) => ({ project_id: scope, key: keyOfRef(ref) }))
    for (const row of await itemsAt(db, tenantId, places)) rows.set(knowledgeRef(row.key, row.project_id), row)
  }
  const close = candidates.filter(({ score }) => score >= minScore)
  const found = await obeying(close, query, limit, async (some) => {
    await read(some)
    return new Map(some.map(({ ref }) => [ref, `${keyOfRef(ref)}\n${JSON.parse(rows.get(ref)?.content ?? '""')}`]))
  })
  await read(found.filter(({ ref }) => !rows.has(ref)))
  const snippetOf = createSnippets(query)
  return found.flatMap(({ ref, scope, bm25, lexical, coverage, score }) => {
    const row = rows.get(ref)
    // Deleted in this very moment.
    if (!row) return []
    const { content, updated_at: updatedAtMs } = row
    const snippet = snippetOf(JSON.parse(content) as string)
    return [{ key: row.key, projectId: scope, updatedAtMs, content, snippet, score, bm25, lexical, coverage }]
  })
}
