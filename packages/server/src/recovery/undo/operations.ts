import { Type } from 'typebox'
import { operation } from '../../operations/operation.js'
import { data, dataOf } from '../../operations/result.js'
import { UndoReport, UndoRequest } from './schema.js'
import * as undos from './service.js'

export const undo = operation({
  name: 'undo',
  summary: 'Undo what an API key, one of its workers, a request or the holder of a claim did',
  subject: 'History',
  kind: 'write',
  // The rights depend on the request and on the records: see `permitted` and `putBack`.
  allowsViewers: true,
  input: Type.Object({ undo: UndoRequest }),
  output: dataOf(UndoReport),
  errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { undo }) => data(await undos.undo(call, call.core.differ, undo)),
})
