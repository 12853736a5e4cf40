import { AppError, invalid, notFound } from '../../base/errors.js'
import { decodeCursor, encodeCursor, listFingerprint } from '../../base/paging.js'
import { audit } from '../../changelog/audit/service.js'
import { rolledBack } from '../../db/savepoint.js'
import type { Call } from '../../operations/call.js'
import { changingWithLiveKey } from '../../tenancy/keys/live-key.js'
import { isKeyKnown } from '../../tenancy/keys/service.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import type { Differ } from '../history/differ.js'
import { entryJson, type ShownChange } from '../history/entries.js'
import { periodOf, sequencesOf } from '../history/period.js'
import type { HistoryEntry } from '../history/schema.js'
import { createSelection, keysOfRequest, lastSequence, type Position, type RowFilter } from '../history/selection.js'
import { type FoundConflict, type PageStart, type UndonePage, undoPage } from './page.js'
import type { UndoConflict, UndoReport, UndoRequest } from './schema.js'

const textOf = (positions: readonly Position[]): string => positions.map((position) => position.join('.')).join()

const positionsIn = (text: string): Position[] =>
  text.split(',').flatMap((pair) => {
    const [, sequence, place] = /^(\d{1,15})\.(\d{1,6})$/.exec(pair) ?? []
    return sequence === undefined ? [] : [[Number(sequence), Number(place)] as const]
  })

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
  differ: Differ,
  tenantId: string,
  { change, laterChange, ...conflict }: FoundConflict,
): Promise<UndoConflict> => {
  const entryOf = async (shown: ShownChange) =>
    JSON.parse(await entryJson(differ, tenantId, shown, false)) as HistoryEntry
  return { ...conflict, change: await entryOf(change), laterChange: laterChange && (await entryOf(laterChange)) }
}

interface FoundPage extends Omit<UndonePage, 'next'> {
  nextCursor: string | null
}

const undoOnePage = (call: Call, request: UndoRequest): Promise<FoundPage> =>
  changingWithLiveKey(call, 'admin', async (call) => {
    const { db, actor } = call
    const { dryRun = true, includeConflicts = false, cursor } = request
    const filter = await filterOf(call, request)
    const fingerprint = listFingerprint([actor.tenantId, 'undo', filter])
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
    const { next, ...report } = await (dryRun ? rolledBack(db, work) : work())
    if (!dryRun) {
      const { keyId, requestId, claim, since, until } = request
      const counts = { undone: report.undone.length, conflicts: report.conflicts.length }
      await audit(call, 'undo.applied', {
        ...(keyId !== undefined && { subject: keyId }),
        details: { keyId, requestId, claim, since, until, ...counts },
      })
    }
    const nextCursor = next && encodeCursor(fingerprint, [upTo, ...next.before, textOf(next.retries)])
    return { ...report, nextCursor: nextCursor ?? null }
  })

/** Takes back a page of what a key, a request or the holder of a claim did. */
export const undo = async (call: Call, differ: Differ, request: UndoRequest): Promise<UndoReport> => {
  const { conflicts: found, ...page } = await undoOnePage(call, request)
  const conflicts: UndoConflict[] = []
  for (const conflict of found) conflicts.push(await conflictOf(differ, call.actor.tenantId, conflict))
  return { dryRun: request.dryRun ?? true, ...page, conflicts }
}
