import { AppError, isRefusal, notFound } from '../../base/errors.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import type { RecordKind } from '../../changelog/versions/version.js'
import { requireProject } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { currentProject } from '../../tenancy/projects/service.js'
import type { Question } from '../../work/tasks/questions/schema.js'
import { currentVersion } from '../history/current-version.js'
import { refOf } from '../history/entries.js'
import type { HistoryRow } from '../history/selection.js'
import { isDeletion } from '../history/states.js'
import { requireRestore } from '../history/visible.js'
import { entryHolding, restoreEntry } from '../trash/restore.js'
import type { Plan } from './plan.js'
import { isSameState, removeRecord, revertRecord, type Target, titleOf, versionOf } from './revert-record.js'
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
  const message = `Since then ${keyName} ${change} it. Include conflicts to undo it too.`
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
  wanted: string,
): Promise<SkippedLink[]> => {
  const entry = await entryHolding(call, record)
  if (kind !== 'project' && (entry?.kind === 'project' || (!entry && (await isProjectGone(call, projectId))))) {
    throw new AppError(
      'parent_deleted',
      'It was deleted with its project. Undo this again once the project is restored.',
    )
  }
  const missing = (): AppError => notFound('deleted record')
  if (!entry) throw missing()
  if (entry.projectId !== '') requireProject(call, entry.projectId, missing)
  return restoreEntry(call, entry, wanted)
}

/** A question that was not there is withdrawn, not deleted. */
const isWithdrawn = (question: string): boolean => (JSON.parse(question) as Question).state === 'withdrawn'

/** Whether a record is as it was. */
export const isBack = async (call: Call, { kind, record, wanted }: Plan): Promise<boolean> => {
  const living = await currentVersion(call, kind, record)
  call.work?.spendText(living, wanted)
  if (wanted === null && living !== undefined) return kind === 'question' && isWithdrawn(living)
  if (wanted === null || living === undefined) return wanted === null
  return isSameState(living, wanted)
}

/** Returns the key and the project of a knowledge item; undefined for other records. */
const addressOf = (kind: RecordKind, state: string): { key: string; projectId: string | null } | undefined =>
  kind === 'knowledge' ? (JSON.parse(state) as { key: string; projectId: string | null }) : undefined

const isMoved = (kind: RecordKind, before: string, now: string): boolean => {
  const [from, to] = [addressOf(kind, before), addressOf(kind, now)]
  return from?.key !== to?.key || from?.projectId !== to?.projectId
}

const refuseOthers = ({ others }: Plan, isForced: boolean): void => {
  if (others.length > 0 && !isForced) throw changedBy(others.at(-1)!)
}

const restoreAsWanted = async (call: Call, { kind, record }: Plan, target: Target, wanted: string): Promise<void> => {
  target.skipped.push(...(await restoreDeleted(call, kind, record, target.projectId, wanted)))
  const living = await currentVersion(call, kind, record)
  if (living && !isSameState(living, wanted)) await revertRecord(call, kind, target, wanted)
}

/** Reverts an existing record to a state, or removes it if the state is null. */
const revertTo = async (
  call: Call,
  { kind }: Plan,
  target: Target,
  wanted: string | null,
): Promise<UndoneRecord['action']> => {
  if (wanted === null) return removeRecord(call, kind, target)
  await revertRecord(call, kind, target, wanted)
  return 'reverted'
}

/** Knowledge items that swap places because each one wants the key that the other has. */
export interface Exchanges {
  /** Whether a record may be moved away from a key that another record wants back. Called only as a last resort. */
  mayMove(record: string): Promise<boolean>
  /** The records that were moved away, with their earlier states. */
  moved: Map<string, string>
}

/** Reverts a record to the state before the selected changes, unless it already is in that state. */
export const putBack = async (
  call: Call,
  plan: Plan,
  isForced: boolean,
  { mayMove, moved }: Exchanges,
): Promise<PutBack | 'unchanged'> => {
  const { kind, record, newest, wanted } = plan
  const isDone = await isBack(call, plan)
  if (isDone && !moved.has(record)) return 'unchanged'
  requireRestore(call.actor, kind)
  refuseOthers(plan, isForced)
  const skipped: SkippedLink[] = []
  const target: Target = { record, projectId: newest.project_id, isForced, skipped, mayExchange: mayMove }
  // The new changes record which event they undo. Viewers of a project can write only comments.
  const undoing: Call = { ...call, undoes: newest.event_id, refusesViewers: kind !== 'comment' }
  const living = await currentVersion(call, kind, record)
  const before = moved.get(record) ?? living
  let action: UndoneRecord['action'] = isDone ? 'reverted' : 'restored'
  if (living === undefined) await restoreAsWanted(undoing, plan, target, wanted!)
  else if (!isDone) action = await revertTo(undoing, plan, target, wanted)
  const now = await currentVersion(call, kind, record)
  const isCompared = before !== undefined && now !== undefined
  if (isCompared && versionOf(before) === versionOf(now) && skipped.length === 0) {
    throw new AppError('no_effect', 'Nothing can be undone here, because an undo does not decide checks.')
  }
  const shown = before ?? now
  return {
    ...refOf(kind, record, newest.project_id, (shown && addressOf(kind, shown)?.key) ?? newest.item_key),
    title: await titleOf(call, kind, record, now ?? living),
    action: isCompared && isMoved(kind, before, now) ? 'moved' : action,
    version: versionOf(now),
    before: isCompared ? before : null,
    after: isCompared ? now : null,
    undoes: newest.event_id,
    skipped,
  }
}
