import { AppError, invalid, notFound } from '../../base/errors.js'
import { decodeCursor, encodeCursor, listFingerprint } from '../../base/paging.js'
import { audit } from '../../changelog/audit/service.js'
import { rolledBack } from '../../db/savepoint.js'
import { countingKept } from '../../limits/usage/usage.js'
import { holdsScope } from '../../operations/actor.js'
import { missingScope } from '../../operations/admission.js'
import { type Call, changing } from '../../operations/call.js'
import { asLiveKey } from '../../tenancy/keys/live-key.js'
import { isKeyKnown } from '../../tenancy/keys/service.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { claimsOfWorker } from '../../work/tasks/claims/ended-service.js'
import type { Differ } from '../history/differ.js'
import { entryJson, type ShownChange } from '../history/entries.js'
import { periodOf, sequencesOf } from '../history/period.js'
import type { HistoryEntry } from '../history/schema.js'
import { createSelection, keysOfRequest, lastSequence, type Position, type RowFilter } from '../history/selection.js'
import { type FoundConflict, type PageStart, type UndonePage, undoPage } from './page.js'
import type { PutBack } from './put-back.js'
import type { UndoConflict, UndoneRecord, UndoReport, UndoRequest } from './schema.js'

const textOf = (positions: readonly Position[]): string => positions.map((position) => position.join('.')).join()

const positionsIn = (text: string): Position[] =>
  text.split(',').flatMap((pair) => {
    const [, sequence, place] = /^(\d{1,15})\.(\d{1,6})$/.exec(pair) ?? []
    return sequence === undefined ? [] : [[Number(sequence), Number(place)] as const]
  })

const checkRequest = ({ keyId, requestId, claim, worker }: UndoRequest): void => {
  const isClear = [keyId ?? requestId, claim].filter((value) => value !== undefined).length === 1
  if (!isClear) throw invalid({ path: 'keyId', message: 'exactly one of keyId, requestId and claim is required' })
  if (worker !== undefined && (keyId === undefined || requestId !== undefined)) {
    throw invalid({ path: 'worker', message: 'needs keyId, and cannot be combined with requestId' })
  }
}

/**
 * Limits the request to what the caller may undo. Without `admin`, a key can undo only its own requests, so that a
 * request ID of another key selects nothing, as if it were unknown.
 */
const permitted = ({ actor }: Call, request: UndoRequest): UndoRequest => {
  if (holdsScope(actor, 'admin')) return request
  const { keyId = actor.keyId, requestId, claim, includeConflicts } = request
  const isOwnRequest = requestId !== undefined && claim === undefined && keyId === actor.keyId
  if (!isOwnRequest || includeConflicts) throw missingScope('admin', actor)
  return { ...request, keyId }
}

const filterOf = async (call: Call, request: UndoRequest): Promise<RowFilter> => {
  const { keyId, requestId, claim, worker } = request
  const period = periodOf(request, call.clock())
  const projectId = request.projectId === undefined ? undefined : (await projectNamed(call, request.projectId)).id
  if (keyId !== undefined && !(await isKeyKnown(call, keyId))) throw notFound('API key', keyId)
  const claims =
    worker === undefined ? undefined : await claimsOfWorker(call, { keyId: keyId!, worker, sinceMs: period.sinceMs })
  const rest = { ...period, projectId, keyId, claims }
  if (claim !== undefined) return { ...rest, access: { claim } }
  if (requestId === undefined) return { ...rest, access: { keyId: keyId! } }
  const keyIds = keyId === undefined ? await keysOfRequest(call, requestId) : []
  if (keyIds.length > 1) {
    throw new AppError('ambiguous', `Several keys used the request id "${requestId}".`, {
      keyIds,
    })
  }
  return { ...rest, access: { requestId } }
}

const conflictOf = async (
  differ: Differ,
  tenantId: string,
  { change, laterChange, ...conflict }: FoundConflict,
): Promise<UndoConflict> => {
  const entryOf = async (shown: ShownChange) =>
    JSON.parse(await entryJson(differ, tenantId, shown, false)) as HistoryEntry
  return { ...conflict, change: await entryOf(change), laterChange: laterChange && (await entryOf(laterChange)) }
}

const undoneOf = async (
  differ: Differ,
  tenantId: string,
  { before, after, ...record }: PutBack,
): Promise<UndoneRecord> => {
  const changes = before === null ? '{}' : await differ.changes(tenantId, { before, after, isFull: false })
  return { ...record, changes: JSON.parse(changes) }
}

interface FoundPage extends Omit<UndonePage, 'next'> {
  nextCursor: string | null
}

const undoOnePage = (call: Call, asked: UndoRequest): Promise<FoundPage> =>
  changing(call, async (joined) => {
    const call = await asLiveKey(joined)
    const { db, actor } = call
    const request = permitted(call, asked)
    const { dryRun = true, includeConflicts = false, cursor } = request
    const filter = await filterOf(call, request)
    // The worker may claim more tasks between two pages.
    const fingerprint = listFingerprint([actor.tenantId, 'undo', { ...filter, claims: undefined }, request.worker])
    const [upTo, sequence, place, retries] =
      cursor === undefined
        ? ([await lastSequence(db, actor.tenantId), Number.MAX_SAFE_INTEGER, 0, ''] as const)
        : decodeCursor<[number, number, number, string]>(cursor, fingerprint, ['integer', 'integer', 'integer', 'text'])
    const { from, end } = await sequencesOf(db, actor.tenantId, filter)
    const start: PageStart = {
      before: [Math.min(sequence, upTo + 1, end), place],
      retries: positionsIn(retries),
    }
    const selection = createSelection(call, filter, from, upTo)
    const work = () => undoPage(call, selection, start, includeConflicts)
    const run = () => (dryRun ? rolledBack(db, work) : work())
    const { next, ...report } = await countingKept(call.origin.usage, run, () => !dryRun)
    if (!dryRun) {
      const { keyId, requestId, claim, worker, since, until } = request
      const counts = { undone: report.undone.length, conflicts: report.conflicts.length }
      await audit(call, 'undo.applied', {
        ...(keyId !== undefined && { subject: keyId }),
        details: { keyId, requestId, claim, worker, since, until, ...counts },
      })
    }
    const nextCursor = next && encodeCursor(fingerprint, [upTo, ...next.before, textOf(next.retries)])
    return { ...report, nextCursor: nextCursor ?? null }
  })

/** Takes back a page of what a key, a worker of it, a request or the holder of a claim did. */
export const undo = async (call: Call, differ: Differ, request: UndoRequest): Promise<UndoReport> => {
  checkRequest(request)
  const { tenantId } = call.actor
  const page = await undoOnePage(call, request)
  const undone: UndoneRecord[] = []
  for (const record of page.undone) undone.push(await undoneOf(differ, tenantId, record))
  const conflicts: UndoConflict[] = []
  for (const conflict of page.conflicts) conflicts.push(await conflictOf(differ, tenantId, conflict))
  return { dryRun: request.dryRun ?? true, ...page, undone, conflicts }
}
