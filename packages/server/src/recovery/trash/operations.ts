import { Type } from 'typebox'
import { operation } from '../../operations/operation.js'
import { data, dataOf, deleted, deletedBy, listOf, records } from '../../operations/result.js'
import * as trash from './list.js'
import { purge } from './purge.js'
import { prepareRestore, restoreFromTrash } from './restore.js'
import { EntryId, PurgeResult, RestoredEntry, TrashEntry, TrashList } from './schema.js'

const subject = 'Trash'

const dayMs = 86_400_000

export const listTrash = operation({
  name: 'listTrash',
  summary: 'List what was deleted, newest first',
  subject,
  kind: 'read',
  changesOnlyOnCommit: () => true,
  input: TrashList,
  output: listOf(TrashEntry),
  run: async (call, input) => records(input, await trash.listTrash(call, input, call.core.config.trashDays * dayMs)),
})

export const restoreTrashEntry = operation({
  name: 'restoreTrashEntry',
  summary: 'Restore a deleted record',
  subject,
  kind: 'write',
  // Of what they wrote: a comment of their own.
  allowsViewers: true,
  input: Type.Object({ entryId: EntryId }),
  output: dataOf(RestoredEntry),
  errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  prepare: (call, { entryId }) => prepareRestore(call, entryId),
  run: async (call, { entryId }) => data(await restoreFromTrash(call, entryId)),
})

export const purgeTrashEntry = operation({
  name: 'purgeTrashEntry',
  summary: 'Remove a deleted record for good',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ entryId: EntryId }),
  output: deletedBy('id'),
  errors: ['NOT_FOUND', 'CONFLICT'],
  run: async (call, { entryId }) => {
    await purge(call, call.core, entryId)
    return deleted({ id: entryId })
  },
})

export const emptyTrash = operation({
  name: 'emptyTrash',
  summary: 'Remove everything in the trash for good',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({}),
  output: dataOf(PurgeResult),
  run: async (call) => data(await purge(call, call.core, undefined)),
})
