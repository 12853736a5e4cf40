import type { Sql } from '../db/port.js'
import type { Meaning } from './meaning.js'
import type { FoundItem, KnowledgeSearch } from './protocol.js'
import { parseQuery } from './query.js'
import { type KnowledgeRow, keyOfRef, knowledgeRef } from './records.js'
import type { DocumentName } from './search-index.js'
import { searchRecords } from './search-records.js'
import { createSnippets } from './snippet.js'
import { itemsAt } from './store.js'
import type { TenantIndex } from './tenant-index.js'

const scopesOf = ({ knowledge: { documents } }: TenantIndex): string[] =>
  Array.from({ length: documents.scopes.count }, (_, id) => documents.scopes.text(id))

export const searchKnowledge = async (
  db: Sql,
  tenantId: string,
  index: TenantIndex,
  { text, scopes, prefix, limit, minScore = 0, isExplained = false }: KnowledgeSearch,
  meaning: Promise<Meaning | undefined>,
): Promise<{ hits: FoundItem[]; total: number }> => {
  const query = parseQuery(text)
  const rows = new Map<string, KnowledgeRow>()
  const read = async (some: readonly DocumentName[]) => {
    const places = some.map(({ ref, scope }) => ({ project_id: scope, key: keyOfRef(ref) }))
    for (const row of await itemsAt(db, tenantId, places)) rows.set(knowledgeRef(row.key, row.project_id), row)
  }
  const { hits, total } = await searchRecords({
    db,
    tenantId,
    kind: 'knowledge',
    index: index.knowledge,
    signatures: index.knowledgeSignatures,
    meaning,
    query,
    filter: { ...(scopes && { scopes }), ...(prefix && { refPrefix: prefix }) },
    exactRefs: (scopes ?? scopesOf(index)).toSorted().map((scope) => knowledgeRef(query.text, scope)),
    top: limit,
    from: 0,
    to: limit,
    isExplained,
    textsOf: async (names) => {
      await read(names)
      return new Map(names.map(({ ref }) => [ref, [keyOfRef(ref), JSON.parse(rows.get(ref)?.content ?? '""')]]))
    },
  })
  const close = hits.filter(({ score }) => score >= minScore)
  await read(close.filter(({ ref }) => !rows.has(ref)))
  const snippetOf = createSnippets(query)
  const items = close.flatMap(({ ref, scope: projectId, score, explain }) => {
    const row = rows.get(ref)
    // Deleted in this very moment.
    if (!row) return []
    const { key, content, updated_at: updatedAtMs } = row
    const snippet = snippetOf(JSON.parse(content) as string)
    return [{ key, projectId, updatedAtMs, content, snippet, score, explain }]
  })
  return { hits: items, total }
}
