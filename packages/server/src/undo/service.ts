import { audit } from '../audit/service.js'
import type { Call } from '../call.js'
import { allOrNothing, rolledBack } from '../db/savepoint.js'
import { AppError, invalid, notFound } from '../errors.js'
import { entryOf, refOf } from '../history/entries.js'
import { periodOf, sequencesOf } from '../history/period.js'
import {
  type HistoryRow,
  keysOfRequest,
  lastSequence,
  type Position,
  type RowFilter,
  type Selection,
  select,
} from '../history/selection.js'
import { isDeparture, type States, statesOf } from '../history/states.js'
import { changingWithLiveKey } from '../keys/live-key.js'
import { isKeyKnown } from '../keys/service.js'
import { decodeCursor, encodeCursor, listFingerprint } from '../paging.js'
import { projectNamed } from '../projects/service.js'
import { movesOf } from './moves.js'
import { type Plan, planOf } from './plan.js'
import { type Obstacle, obstacleOf, putBack } from './put-back.js'
import type { UndoConflict, UndoneRecord, UndoReport, UndoRequest } from './schema.js'

/** Records of a page, which is one transaction. */
const recordsPerPage = 100

const filterOf = async (call: Call, request: UndoRequest): Promise<RowFilter> => {
  const { keyId, requestId, claim } = request
  const isClear = [keyId ?? requestId, claim].filter((value) => value !== undefined).length === 1
  if (!isClear) throw invalid({ path: 'keyId', message: 'exactly one of keyId, requestId and claim is required' })
  const period = periodOf(request, call.clock())
  const projectId = request.projectId === undefined ? undefined : (await projectNamed(call, request.projectId)).id
  if (keyId !== undefined && !(await isKeyKnown(call, keyId))) throw notFound(`key "${keyId}"`)
  const rest = { ...period, projectId, keyId }
  if (claim !== undefined) return { ...rest, access: { claim } }
  if (requestId === undefined) return { ...rest, access: { keyId: keyId! } }
  const keyIds = keyId === undefined ? await keysOfRequest(call, requestId) : []
  if (keyIds.length > 1) {
    throw new AppError('CONFLICT', `Several keys used the request id "${requestId}". Set keyId to one of them.`, {
      keyIds,
    })
  }
  return { ...rest, access: { requestId } }
}

const conflictOf = async (
  states: States,
  { kind, record, newest }: Plan,
  { reason, message, laterChange }: Obstacle,
): Promise<UndoConflict> => ({
  ...refOf(kind, record, newest.project_id),
  reason,
  message,
  change: (await entryOf(states, newest, false)).entry,
  laterChange: laterChange ? (await entryOf(states, laterChange, false)).entry : null,
})

type Outcome = { undone: UndoneRecord } | { conflict: UndoConflict } | { unchanged: ReturnType<typeof refOf> | null }

const undoRecord = async (
  call: Call,
  selection: Selection,
  newest: HistoryRow,
  includesConflicts: boolean,
): Promise<Outcome> => {
  const states = statesOf(call)
  const plan = await planOf(call, selection, states, newest)
  const moves = movesOf(call, selection, states)
  const outcome = await allOrNothing(call.db, () => putBack(call, plan, moves, includesConflicts)).catch(obstacleOf)
  if (outcome === 'unchanged') {
    // A move is told by the place that it led to.
    return { unchanged: isDeparture(newest) ? null : refOf(plan.kind, plan.record, newest.project_id) }
  }
  return 'undoes' in outcome ? { undone: outcome } : { conflict: await conflictOf(states, plan, outcome) }
}

const undoPage = async (
  call: Call,
  selection: Selection,
  before: Position,
  includesConflicts: boolean,
): Promise<Omit<UndoReport, 'dryRun' | 'nextCursor'> & { next: Position | undefined }> => {
  const { newest, next } = await selection.records(before, recordsPerPage)
  const report = {
    undone: [] as UndoneRecord[],
    conflicts: [] as UndoConflict[],
    unchanged: [] as ReturnType<typeof refOf>[],
  }
  for (const row of newest) {
    const outcome = await undoRecord(call, selection, row, includesConflicts)
    if ('undone' in outcome) report.undone.push(outcome.undone)
    else if ('conflict' in outcome) report.conflicts.push(outcome.conflict)
    else if (outcome.unchanged) report.unchanged.push(outcome.unchanged)
  }
  return { ...report, next }
}

/** Takes back a page of what a key, a request or the holder of a claim did. */
export const undo = (call: Call, request: UndoRequest): Promise<UndoReport> =>
  changingWithLiveKey(call, 'admin', async (call) => {
    const { db, actor } = call
    const { dryRun = true, includeConflicts = false, cursor } = request
    const filter = await filterOf(call, request)
    const fingerprint = listFingerprint([actor.tenantId, 'undo', filter])
    const [upTo, ...position] =
      cursor === undefined
        ? [await lastSequence(db, actor.tenantId), Number.MAX_SAFE_INTEGER, 0]
        : decodeCursor<[number, number, number]>(cursor, fingerprint, ['integer', 'integer', 'integer'])
    const { from, end } = await sequencesOf(db, actor.tenantId, filter)
    const before: Position = [Math.min(position[0]!, upTo! + 1, end), position[1]!]
    const selection = select(call, filter, from, upTo!)
    const work = () => undoPage(call, selection, before, includeConflicts)
    const { next, ...report } = await (dryRun ? rolledBack(db, work) : work())
    if (!dryRun) {
      const { keyId, requestId, claim, since, until } = request
      const counts = { undone: report.undone.length, conflicts: report.conflicts.length }
      await audit(call, 'undo.applied', {
        ...(keyId !== undefined && { subject: keyId }),
        details: { keyId, requestId, claim, since, until, ...counts },
      })
    }
    return { dryRun, ...report, nextCursor: next ? encodeCursor(fingerprint, [upTo!, ...next]) : null }
  })
