import { audit } from '../audit/service.js'
import type { Call } from '../call.js'
import { allOrNothing, rolledBack } from '../db/savepoint.js'
import { AppError, invalid, notFound } from '../errors.js'
import { entryOf, refOf } from '../history/entries.js'
import { livingVersion } from '../history/living.js'
import { periodOf, sequencesOf } from '../history/period.js'
import type { SkippedLink } from '../history/schema.js'
import {
  changesAfter,
  type HistoryRow,
  keysOfRequest,
  lastSequence,
  type Position,
  type RowFilter,
  type Selection,
  select,
} from '../history/selection.js'
import { isDeletion, type States, statesOf } from '../history/states.js'
import { kindOfType, recordName } from '../history/version.js'
import { changingWithLiveKey } from '../keys/live-key.js'
import { isKeyKnown } from '../keys/service.js'
import { decodeCursor, encodeCursor, listFingerprint } from '../paging.js'
import { projectNamed } from '../projects/service.js'
import { entryHolding, restoreEntry } from '../trash/restore.js'
import { isSameState, moveBack, removeRecord, revertRecord, type Target, versionNow } from './revert-record.js'
import type { UndoConflict, UndoneRecord, UndoReport, UndoRequest } from './schema.js'

/** Records of a page, which is one transaction. */
const recordsPerPage = 100

const serviceKey = 'service'

/** The end of a claim is the service's own doing, whoever came by first. */
const isOfService = ({ key_id, type }: HistoryRow): boolean => key_id === serviceKey || type === 'task.claim_expired'

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

/** What is to be done about a record: the changes of the actor, and the newest of somebody else since. */
interface Plan {
  kind: ReturnType<typeof kindOfType>
  record: string
  newest: HistoryRow
  /** The record as it was before the actor's first change; null where it was not there. */
  wanted: string | null
  /** The change that moved a knowledge item here. */
  movedBy: HistoryRow | undefined
  /** What was here before that, and was changed too. */
  displaced?: Plan
  conflict: HistoryRow | undefined
}

const planOf = async (
  call: Call,
  selection: Selection,
  states: States,
  newest: HistoryRow,
  after: Position = [0, 0],
): Promise<Plan> => {
  const { record } = newest
  const first = (await selection.firstOf(record, after)) ?? newest
  const later = await changesAfter(call, first)
  // Another item came to this place since: it goes back first, and the rest is as it was then.
  const arrival = [first, ...later].findLast(
    (row) => row.type === 'knowledge.moved' && row.place === 0 && selection.isSelected(row),
  )
  if (arrival && arrival !== first) {
    const plan = await planOf(call, selection, states, newest, [arrival.sequence, arrival.place - 1])
    const wanted = first.type.endsWith('.restored') ? null : await states.before(first)
    return { ...plan, displaced: { ...plan, wanted, movedBy: undefined } }
  }
  const ownEvents = new Set([first.event_id])
  let conflict: HistoryRow | undefined
  for (const row of later) {
    const isOwn = selection.isSelected(row) || isOfService(row) || (row.undoes !== null && ownEvents.has(row.undoes))
    if (isOwn) ownEvents.add(row.event_id)
    else conflict = row
  }
  const wanted = first.type.endsWith('.restored') ? null : await states.before(first)
  return { kind: kindOfType(newest.type), record, newest, wanted, movedBy: arrival, conflict }
}

type Outcome = { undone: UndoneRecord } | { conflict: UndoConflict } | { unchanged: ReturnType<typeof refOf> }

const restoreDeleted = async (call: Call, { kind, record }: Plan): Promise<SkippedLink[]> => {
  const entry = await entryHolding(call, record)
  if (!entry) throw notFound(`deleted ${kind}`)
  if (entry.kind === 'project' && kind !== 'project') {
    throw new AppError('CONFLICT', 'It was deleted with its project. Undo this again once the project is restored.')
  }
  return restoreEntry(call, entry, true)
}

/** The record of a knowledge item as it was, by its place then. */
const placeOf = (item: string): string => {
  const { key, projectId } = JSON.parse(item) as { key: string; projectId: string | null }
  return recordName.knowledge(projectId ?? '', key)
}

/** Puts a record back, unless it is so already. */
const putBack = async (call: Call, plan: Plan, isForced: boolean): Promise<Outcome> => {
  const { kind, record, newest, wanted, movedBy } = plan
  const ref = refOf(kind, record, newest.project_id)
  const living = await livingVersion(call, kind, record)
  const undoing: Call = { ...call, undoes: newest.event_id }
  const target: Target = { record, projectId: newest.project_id, isForced, skipped: [] }
  const done = async (action: UndoneRecord['action'], at = record): Promise<Outcome> => ({
    undone: {
      ...ref,
      action,
      version: await versionNow(call, kind, at),
      undoes: newest.event_id,
      skipped: target.skipped,
    },
  })

  if (wanted === null) {
    if (living === undefined) return { unchanged: ref }
    await removeRecord(undoing, kind, target)
    return done('deleted')
  }
  if (movedBy) {
    const from = placeOf(wanted)
    if (living === undefined) {
      const original = await livingVersion(call, kind, from)
      if (original !== undefined && isSameState(original, wanted)) return { unchanged: ref }
      await restoreDeleted(call, plan)
    }
    await moveBack(undoing, record, wanted)
    const moved = await livingVersion(call, kind, from)
    if (moved && !isSameState(moved, wanted)) await revertRecord(undoing, kind, { ...target, record: from }, wanted)
    if (plan.displaced) await putBack(call, plan.displaced, isForced)
    return done('moved', from)
  }
  if (living === undefined) {
    target.skipped.push(...(await restoreDeleted(call, plan)))
    const restored = await livingVersion(call, kind, record)
    if (restored && !isSameState(restored, wanted)) await revertRecord(undoing, kind, target, wanted)
    return done('restored')
  }
  if (isSameState(living, wanted)) return { unchanged: ref }
  await revertRecord(undoing, kind, target, wanted)
  return done('reverted')
}

/** Whether a record already is as it was before, so that nobody's change stands in the way. */
const isBack = async (call: Call, { kind, record, wanted, movedBy }: Plan): Promise<boolean> => {
  const living = await livingVersion(call, kind, wanted !== null && movedBy ? placeOf(wanted) : record)
  if (wanted === null || living === undefined) return wanted === null && living === undefined
  return isSameState(living, wanted)
}

const conflictOf = async (
  states: States,
  { kind, record, newest, conflict }: Plan,
  reason: UndoConflict['reason'],
  message: string,
): Promise<Outcome> => ({
  conflict: {
    ...refOf(kind, record, newest.project_id),
    reason,
    message,
    change: (await entryOf(states, newest, false)).entry,
    laterChange: conflict ? (await entryOf(states, conflict, false)).entry : null,
  },
})

const undoRecord = async (
  call: Call,
  selection: Selection,
  newest: HistoryRow,
  includesConflicts: boolean,
): Promise<Outcome> => {
  const states = statesOf(call)
  const plan = await planOf(call, selection, states, newest)
  if (plan.conflict && !includesConflicts) {
    if (await isBack(call, plan)) return { unchanged: refOf(plan.kind, plan.record, newest.project_id) }
    const { keyName } = JSON.parse(plan.conflict.actor) as { keyName: string }
    const change = isDeletion(plan.conflict) ? 'deleted' : 'changed'
    return conflictOf(
      states,
      plan,
      'changed',
      `Since then ${keyName} ${change} it. Use includeConflicts to undo it too.`,
    )
  }
  try {
    return await allOrNothing(call.db, () => putBack(call, plan, includesConflicts))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return conflictOf(states, plan, 'refused', error.message)
  }
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
    else report.unchanged.push(outcome.unchanged)
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
