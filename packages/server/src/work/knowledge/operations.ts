import { crc32 } from 'node:zlib'
import { Type } from 'typebox'
import { andThen } from '../../base/awaitable.js'
import { invalid } from '../../base/errors.js'
import { nullable } from '../../base/fields.js'
import { jsonArray } from '../../base/json.js'
import { IfMatch, IfNoneMatch } from '../../base/versions.js'
import { RecordVersion } from '../../changelog/versions/schema.js'
import { type OperationCall, operation } from '../../operations/operation.js'
import { data, dataOf, deleted, deletedBy, listOf, page, type Result } from '../../operations/result.js'
import { searchRelaxed } from '../search/query.js'
import { completeness, searchResult } from '../search/result.js'
import { Complete, Relaxed, Semantic } from '../search/schema.js'
import { ContentRange, withContentRange } from './content-range.js'
import { Key } from './fields.js'
import * as list from './list.js'
import * as moves from './moves/move.js'
import { getItemVersion } from './restore.js'
import { judgeItem, retractItem } from './review.js'
import {
  DuplicateItem,
  ItemRead,
  ItemReference,
  KnowledgeHit,
  KnowledgeItem,
  KnowledgeList,
  KnowledgeMove,
  KnowledgePatch,
  KnowledgeSearch,
  KnowledgeWrite,
  ListedItem,
  MovedItem,
  Retraction,
  SimilarItem,
  Verdict,
} from './schema.js'
import * as search from './search/search.js'
import { duplicatesOf, similarItems } from './search/similar.js'
import * as knowledge from './service.js'
import { itemVersion } from './service.js'

const subject = 'Knowledge'

export const listKnowledge = operation({
  name: 'listKnowledge',
  summary: 'List knowledge items by key',
  subject,
  kind: 'read',
  scope: 'knowledge:read',
  changesOnlyOnCommit: () => true,
  input: KnowledgeList,
  output: listOf(ListedItem),
  run: async (call, input) => {
    const { nextEnd, ...listed } = await list.listItems(call, input)
    return { ...page(input.limit ?? 100, listed), changesAt: nextEnd }
  },
})

export const searchKnowledge = operation({
  name: 'searchKnowledge',
  summary: 'Search knowledge',
  subject,
  kind: 'read',
  scope: 'knowledge:read',
  limit: 'searches',
  changesOnlyOnCommit: () => true,
  dependsOnVectors: true,
  input: KnowledgeSearch,
  output: Type.Object({
    data: Type.Array(KnowledgeHit),
    semantic: Semantic,
    complete: Complete,
    relaxed: Relaxed,
  }),
  run: async (call, input) => {
    const found = await searchRelaxed(
      input.q,
      (q) => search.searchItems(call, call.core.search, { ...input, q }, call),
      ({ items }) => items.length === 0,
    )
    return searchResult(jsonArray(found.items), found, completeness(found))
  },
})

/** What a caller gets of an item. */
export const itemResult = ({ json, version, derived, isExpired, isCreated, key }: knowledge.ItemAnswer): Result => ({
  data: json,
  version,
  derived,
  isExpired,
  ...(isCreated && { id: key, isCreated }),
})

/** What is similar changes without a new version of the item: the sum of it tells one answer from another. */
const withSimilar = async (call: OperationCall, item: knowledge.ItemAnswer): Promise<Result> => {
  await call.countOperations(['searches'])
  const similar = await similarItems(call, call.core.search, item.json, call)
  return { ...itemResult(item), derived: crc32(JSON.stringify([item.derived, similar])), more: { similar } }
}

export const getKnowledge = operation({
  name: 'getKnowledge',
  summary: 'Get a knowledge item',
  subject,
  kind: 'read',
  scope: 'knowledge:read',
  input: Type.Object({ ...ItemRead.properties, version: RecordVersion }),
  output: Type.Object({ data: KnowledgeItem, range: ContentRange, similar: Type.Optional(Type.Array(SimilarItem)) }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  run: (call, { key, projectId, version, similar = false, ...range }) => {
    if (version !== undefined) {
      return getItemVersion(call, key, projectId, version).then((item) =>
        withContentRange(itemResult({ ...item, isCreated: false }), range),
      )
    }
    return andThen(knowledge.getItem(call, key, projectId), (item) =>
      similar
        ? withSimilar(call, item).then((result) => withContentRange(result, range))
        : withContentRange(itemResult(item), range),
    )
  },
})

export const putKnowledge = operation({
  name: 'putKnowledge',
  summary: 'Create or replace a knowledge item',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'knowledge:write',
  limit: 'knowledgeWrites',
  input: Type.Object({ key: Key, item: KnowledgeWrite, ...IfMatch, ...IfNoneMatch }),
  output: Type.Object({
    data: KnowledgeItem,
    similar: Type.Optional(
      nullable(
        Type.Array(DuplicateItem, {
          description: 'With `checkDuplicates`, best first. Null if search was unavailable.',
        }),
      ),
    ),
  }),
  errors: ['CONFLICT', 'PRECONDITION_FAILED'],
  // Counted before anything is written. A batch does not prepare its writes.
  prepare: (call, { item }) =>
    item.checkDuplicates ? andThen(call.countOperations(['searches']), () => 'counted' as const) : undefined,
  run: async (call, { key, item, ifMatch, ifNoneMatch }, prepared) => {
    if (item.checkDuplicates && prepared !== 'counted') {
      throw invalid({ path: 'checkDuplicates', message: 'is not supported in a batch' })
    }
    const written = await knowledge.putItem(call, key, item, { ifMatch, ifNoneMatch })
    if (!item.checkDuplicates) return itemResult(written)
    const similar = await duplicatesOf(call, call.core.search, JSON.parse(written.json) as KnowledgeItem, call)
    return { ...itemResult(written), more: { similar } }
  },
})

export const patchKnowledge = operation({
  name: 'patchKnowledge',
  summary: 'Change fields of a knowledge item',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'knowledge:write',
  limit: 'knowledgeWrites',
  input: Type.Object({ ...ItemReference.properties, patch: KnowledgePatch, ...IfMatch }),
  output: dataOf(KnowledgeItem),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  run: async (call, { key, projectId, patch, ifMatch }) =>
    itemResult(await knowledge.patchItem(call, key, projectId, patch, { ifMatch })),
})

export const judgeKnowledge = operation({
  name: 'judgeKnowledge',
  summary: 'Verify or dispute a knowledge item',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'knowledge:write',
  limit: 'knowledgeWrites',
  input: Type.Object({ verdict: Verdict }),
  output: dataOf(KnowledgeItem),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
  versionOf: (call, { verdict }) => itemVersion(call, verdict),
  run: async (call, { verdict }) => itemResult(await judgeItem(call, verdict)),
})

export const retractKnowledge = operation({
  name: 'retractKnowledge',
  summary: 'Retract a knowledge item, or take that back',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'knowledge:write',
  limit: 'knowledgeWrites',
  input: Type.Object({ retraction: Retraction, ...IfMatch }),
  output: dataOf(KnowledgeItem),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { retraction, ifMatch }) => itemResult(await retractItem(call, retraction, { ifMatch })),
})

export const deleteKnowledge = operation({
  name: 'deleteKnowledge',
  summary: 'Delete a knowledge item',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'knowledge:write',
  input: Type.Object({ ...ItemReference.properties, ...IfMatch }),
  output: deletedBy('id', 'key'),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  run: async (call, { key, projectId, ifMatch }) => {
    const { id } = await knowledge.deleteItem(call, key, projectId, { ifMatch })
    return deleted({ id, key })
  },
})

export const moveKnowledge = operation({
  name: 'moveKnowledge',
  summary: 'Move a knowledge item, or all items below a key',
  subject,
  kind: 'write',
  scope: 'knowledge:write',
  isBatchable: true,
  input: Type.Object({ move: KnowledgeMove }),
  output: dataOf(Type.Array(MovedItem)),
  errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  versionOf: (call, { move: { from, projectId, recursive } }) => {
    if (recursive) throw invalid({ path: 'If-Match', message: 'cannot be combined with recursive' })
    return itemVersion(call, { key: from, projectId })
  },
  run: async (call, { move }) => data(await moves.moveKnowledge(call, move)),
})
