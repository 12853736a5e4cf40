import { AppError, isRefusal, notFound } from '../../base/errors.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import { itemOf, type RecordKind } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { currentProject } from '../../tenancy/projects/service.js'
import { placeNamed } from '../../work/knowledge/place.js'
import { restoreItem } from '../../work/knowledge/restore.js'
import type { Question } from '../../work/tasks/questions/schema.js'
import { currentVersion } from '../history/current-version.js'
import { refOf } from '../history/entries.js'
import type { HistoryRow } from '../history/selection.js'
import { isDeletion, isDeparture } from '../history/states.js'
import { entryHolding, restoreEntry } from '../trash/restore.js'
import type { Moves } from './moves.js'
import type { Plan } from './plan.js'
import { isSameState, moveItem, removeRecord, revertRecord, type Target, titleOf, versionOf } from './revert-record.js'
import type { UndoConflict, UndoneRecord } from './schema.js'

/** A record that was put back, with what it was and what it is; both null where nothing of it is compared. */
export interface PutBack extends Omit<UndoneRecord, 'changes'> {
  before: string | null
  after: string | null
}

/** What keeps a record from being put back. */
export type Obstacle = Pick<UndoConflict, 'reason' | 'message'> & { laterChange: HistoryRow | undefined }

class Obstructed extends Error {
  constructor(readonly obstacle: Obstacle) {
    super(obstacle.message)
  }
}

const changedBy = (laterChange: HistoryRow): Obstructed => {
  const { keyName } = JSON.parse(laterChange.actor) as { keyName: string }
  const change = isDeletion(laterChange) ? 'deleted' : 'changed'
  const message = `Since then ${keyName} ${change} it. Use includeConflicts to undo it too.`
  return new Obstructed({ reason: 'changed', message, laterChange })
}

export const obstacleOf = (error: unknown): Obstacle => {
  if (error instanceof Obstructed) return error.obstacle
  if (isRefusal(error)) return { reason: 'refused', message: error.message, laterChange: undefined }
  throw error
}

const isProjectGone = async (call: Call, projectId: string): Promise<boolean> =>
  projectId !== '' && (await currentProject(call, projectId)) === undefined

const restoreDeleted = async (
  call: Call,
  kind: RecordKind,
  record: string,
  projectId: string,
  deletion?: HistoryRow,
): Promise<SkippedLink[]> => {
  const entry = await entryHolding(call, record, deletion)
  if (kind !== 'project' && (entry?.kind === 'project' || (!entry && (await isProjectGone(call, projectId))))) {
    throw new AppError('CONFLICT', 'It was deleted with its project. Undo this again once the project is restored.')
  }
  if (!entry) throw notFound(`deleted ${kind}`)
  return restoreEntry(call, entry, true)
}

/** A question that was not there is withdrawn, not deleted. */
const isWithdrawn = (question: string): boolean => (JSON.parse(question) as Question).state === 'withdrawn'

/** Whether a record is as it was. */
const isBack = async (call: Call, { kind, record, wanted }: Plan): Promise<boolean> => {
  const living = await currentVersion(call, kind, record)
  call.work?.spendText(living, wanted)
  if (wanted === null && living !== undefined) return kind === 'question' && isWithdrawn(living)
  if (wanted === null || living === undefined) return wanted === null
  return isSameState(living, wanted)
}

interface Undoing {
  /** Its changes tell which event they undo. */
  call: Call
  moves: Moves
  target: Target
  /** Whether what others changed is undone too. */
  isForced: boolean
}

const refuseOthers = (others: readonly HistoryRow[], isForced: boolean): void => {
  if (others.length > 0 && !isForced) throw changedBy(others.at(-1)!)
}

const revertUnlessSame = async (
  { call, target }: Undoing,
  { kind }: Plan,
  record: string,
  wanted: string,
): Promise<void> => {
  const living = await currentVersion(call, kind, record)
  if (living && !isSameState(living, wanted)) await revertRecord(call, kind, { ...target, record }, wanted)
}

/** Moves the item that is at a place to where it was; undefined where another is there, and contents are written back. */
const moveToOrigin = async (undoing: Undoing, plan: Plan): Promise<string | undefined> => {
  const { call, moves, isForced } = undoing
  const { place: origin, isAlone, others } = await moves.originOf(plan)
  refuseOthers(others, isForced)
  if (!origin) return undefined
  refuseOthers(origin.others, isForced)
  const mayStay = !isAlone && moves.isSelected(origin)
  if (mayStay && (await currentVersion(call, plan.kind, origin.record)) !== undefined) return undefined
  // Both places know the move by its event, but not what else was changed at the other.
  const moving: Call = { ...call, undoes: origin.changes.find(isDeparture)!.event_id }
  await moveItem(moving, plan.record, origin.record)
  await revertUnlessSame({ ...undoing, call: moving }, origin, origin.record, origin.wanted!)
  return origin.record
}

/** Brings an item back that was deleted or moved away; false where that is left to the place where it is. */
const bringBack = async (undoing: Undoing, plan: Plan, wanted: string): Promise<boolean> => {
  const { call, moves, isForced } = undoing
  const { kind, record } = plan
  const { place, deletion, isAlone, others } = await moves.follow(plan)
  const isPutBackThere = !deletion && isAlone && moves.isSelected(place)
  if (isPutBackThere && (await moves.originOf(place)).place?.record === record) return false
  refuseOthers(others, isForced)
  const isElsewhere = place.record !== record
  // The revert at the end lists the links that are missing then.
  if (deletion && isElsewhere && !isAlone) {
    await restoreItem(call, await placeNamed(call, itemOf(record).projectId || null), wanted, null)
  } else {
    if (deletion) await restoreDeleted(call, kind, place.record, itemOf(place.record).projectId, deletion)
    if (isElsewhere) await moveItem(call, place.record, record)
  }
  await revertUnlessSame(undoing, plan, record, wanted)
  return true
}

/** What was done, and where the record is since. */
type Done = { action: UndoneRecord['action']; at: string } | 'unchanged'

const putBackMissing = async (undoing: Undoing, plan: Plan, wanted: string): Promise<Done> => {
  const { call, target, isForced } = undoing
  const { kind, record } = plan
  const restored: Done = { action: 'restored', at: record }
  if (kind === 'knowledge') return (await bringBack(undoing, plan, wanted)) ? restored : 'unchanged'
  refuseOthers(plan.others, isForced)
  target.skipped.push(...(await restoreDeleted(call, kind, record, target.projectId)))
  await revertUnlessSame(undoing, plan, record, wanted)
  return restored
}

const putBackLiving = async (undoing: Undoing, plan: Plan): Promise<Done> => {
  const { call, target, isForced } = undoing
  const { kind, record, wanted } = plan
  refuseOthers(plan.others, isForced)
  const origin = kind === 'knowledge' ? await moveToOrigin(undoing, plan) : undefined
  if (origin !== undefined) {
    if (wanted === null) return { action: 'moved', at: origin }
    await bringBack(undoing, plan, wanted)
    return { action: 'restored', at: record }
  }
  if (wanted === null) return { action: await removeRecord(call, kind, target), at: record }
  await revertRecord(call, kind, target, wanted)
  return { action: 'reverted', at: record }
}

/**
 * Puts a record back as it was, unless it is so already. Of knowledge that is what was under the key: an item that the
 * selected changes moved goes back to its key, wherever they left it.
 */
export const putBack = async (
  call: Call,
  plan: Plan,
  moves: Moves,
  isForced: boolean,
): Promise<PutBack | 'unchanged'> => {
  const { kind, record, newest, wanted } = plan
  const target: Target = { record, projectId: newest.project_id, isForced, skipped: [] }
  const undoing: Undoing = { call: { ...call, undoes: newest.event_id }, moves, target, isForced }
  if (await isBack(call, plan)) return 'unchanged'
  const living = await currentVersion(call, kind, record)
  const done = living === undefined ? await putBackMissing(undoing, plan, wanted!) : await putBackLiving(undoing, plan)
  if (done === 'unchanged') return done
  const now = await currentVersion(call, kind, done.at)
  const isCompared = living !== undefined && now !== undefined
  return {
    ...refOf(kind, record, newest.project_id),
    title: await titleOf(call, kind, record, now ?? living),
    action: done.action,
    version: versionOf(now),
    before: isCompared ? living : null,
    after: isCompared ? now : null,
    undoes: newest.event_id,
    skipped: target.skipped,
  }
}
