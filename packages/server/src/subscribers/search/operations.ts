import { Type } from 'typebox'
import { jsonArray } from '../../base/json.js'
import { type Actor, holdsScope, type Scope } from '../../operations/actor.js'
import { missingScope } from '../../operations/admission.js'
import { operation } from '../../operations/operation.js'
import { knowledgeHitFields } from '../../work/knowledge/schema.js'
import { searchRelaxed } from '../../work/search/query.js'
import { completeness, searchResult } from '../../work/search/result.js'
import { Complete, Relaxed, Semantic } from '../../work/search/schema.js'
import { foundTaskFields } from '../../work/tasks/schema.js'
import * as everything from './everything.js'
import { SearchEverything, type SearchedKind, searchedKinds } from './schema.js'

const scopeOf = (kind: SearchedKind): Scope => `${kind}:read`

/** What is searched: the kinds that were asked for, which the key must be able to read, or those that it can. */
const kindsToSearch = (actor: Actor, wanted: readonly SearchedKind[] | undefined): SearchedKind[] => {
  const isReadable = (kind: SearchedKind) => holdsScope(actor, scopeOf(kind))
  const readable = searchedKinds.filter((kind) => isReadable(kind) && (wanted?.includes(kind) ?? true))
  const refused = wanted
    ? wanted.find((kind) => !isReadable(kind))
    : readable.length === 0
      ? searchedKinds[0]
      : undefined
  if (refused !== undefined) throw missingScope(scopeOf(refused), actor)
  return readable
}

const FoundTaskRecord = Type.Object({ kind: Type.Literal('task'), ...foundTaskFields }, { $id: 'FoundTaskRecord' })
const FoundKnowledgeRecord = Type.Object(
  { kind: Type.Literal('knowledge'), ...knowledgeHitFields },
  { $id: 'FoundKnowledgeRecord' },
)

export const searchEverything = operation({
  name: 'searchEverything',
  summary: 'Search tasks and knowledge in one list',
  subject: 'Search',
  kind: 'read',
  limit: 'searches',
  changesOnlyOnCommit: () => true,
  dependsOnVectors: true,
  input: SearchEverything,
  output: Type.Object({
    data: Type.Array(Type.Union([FoundTaskRecord, FoundKnowledgeRecord])),
    semantic: Semantic,
    complete: Complete,
    relaxed: Relaxed,
  }),
  run: async (call, input) => {
    const kinds = kindsToSearch(call.actor, input.in)
    const found = await searchRelaxed(
      input.q,
      (q) => everything.searchEverything(call, call.core.search, kinds, { ...input, q }, call),
      ({ hits }) => hits.length === 0,
    )
    return searchResult(jsonArray(found.hits), found, completeness(found))
  },
})
