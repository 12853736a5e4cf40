import { Type } from 'typebox'
import { holdsScope, type Scope } from '../actor.js'
import { jsonArray } from '../json.js'
import { knowledgeHitFields } from '../knowledge/schema.js'
import { missingScope } from '../operations/admission.js'
import { type OperationCall, operation } from '../operations/operation.js'
import { foundTaskFields } from '../tasks/schema.js'
import * as everything from './everything.js'
import { searchResult } from './result.js'
import { SearchEverything, type SearchedKind, Semantic, searchedKinds } from './schema.js'

const scopeOf = (kind: SearchedKind): Scope => `${kind}:read`

/** What is searched: the kinds that were asked for, which the key must be able to read, or those that it can. */
const kindsToSearch = (call: OperationCall, wanted: readonly SearchedKind[] | undefined): SearchedKind[] => {
  const { actor, origin, core } = call
  const isReadable = (kind: SearchedKind) => holdsScope(actor, scopeOf(kind))
  const readable = searchedKinds.filter((kind) => isReadable(kind) && (wanted?.includes(kind) ?? true))
  const refused = wanted
    ? wanted.find((kind) => !isReadable(kind))
    : readable.length === 0
      ? searchedKinds[0]
      : undefined
  if (refused === undefined) return readable
  const requiredScope = scopeOf(refused)
  core.refusals.note({ action: 'scope.refused', actor, origin, details: { requiredScope } })
  throw missingScope(requiredScope)
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
  goesByVectors: true,
  input: SearchEverything,
  output: Type.Object({
    data: Type.Array(Type.Union([FoundTaskRecord, FoundKnowledgeRecord])),
    semantic: Semantic,
  }),
  run: async (call, input) => {
    const kinds = kindsToSearch(call, input.in)
    const found = await everything.searchEverything(call, call.core.search, kinds, input, call)
    return searchResult(jsonArray(found.hits), found)
  },
})
