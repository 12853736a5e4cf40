import { allOrNothing } from '../../db/savepoint.js'
import { countingKept } from '../../limits/usage/usage.js'
import type { Call } from '../../operations/call.js'
import { currentVersion } from '../history/current-version.js'
import { refOfRow, type ShownChange, shownChange } from '../history/entries.js'
import { findChange, type HistoryRow, type Position, type Selection } from '../history/selection.js'
import { type States, statesOf } from '../history/states.js'
import { isVisible } from '../history/visible.js'
import { type Plan, planOf } from './plan.js'
import { isBack, type Obstacle, obstacleOf, type PutBack, putBack } from './put-back.js'
import { isReachable } from './reach.js'
import { titleOf, versionOf } from './revert-record.js'
import type { UndoConflict, UndoReport } from './schema.js'

/** Records of a page, which is one transaction; it also ends where its work has grown. */
const recordsPerPage = 100
/** Records that are tried again with the pages that follow. */
const maxRetries = 60
const maxPasses = 10

/** Where a page begins, and which records of earlier pages could not be put back whole. */
export interface PageStart {
  before: Position
  retries: readonly Position[]
}

/** A conflict whose changes are still to be shown. */
export interface FoundConflict extends Omit<UndoConflict, 'change' | 'laterChange'> {
  change: ShownChange
  laterChange: ShownChange | null
}

type Outcome = { undone: PutBack } | { conflict: FoundConflict } | { unchanged: ReturnType<typeof refOfRow> }

/** Both changes in their order: the actor's last one before that of the other. */
const conflictOf = async (
  call: Call,
  selection: Selection,
  states: States,
  { kind, record, newest, wanted, changes }: Plan,
  { reason, message, laterChange }: Obstacle,
): Promise<FoundConflict> => {
  const change =
    (laterChange && changes.findLast((row) => row.sequence < laterChange.sequence && selection.isSelected(row))) ??
    newest
  return {
    ...refOfRow(newest),
    title: await titleOf(call, kind, record, (await currentVersion(call, kind, record)) ?? wanted),
    reason,
    message,
    change: await shownChange(states, change),
    laterChange:
      laterChange && isVisible(call.actor, kind, laterChange.project_id)
        ? await shownChange(states, laterChange)
        : null,
  }
}

/** Whether the same undo reverts this record to another state. */
const isToMove = async (call: Call, selection: Selection, record: string, isForced: boolean): Promise<boolean> => {
  const first = await selection.firstOf(record, [0, 0])
  if (!first) return false
  const plan = await planOf(call, selection, statesOf(call), first)
  return plan.wanted !== null && (isForced || plan.others.length === 0) && !(await isBack(call, plan))
}

/** Items that swap places on a page. No swap may happen until `isAllowed` is set. */
interface PageExchanges {
  isAllowed: boolean
  moved: Map<string, string>
}

const undoRecord = async (
  call: Call,
  selection: Selection,
  newest: HistoryRow,
  includesConflicts: boolean,
  { isAllowed, moved }: PageExchanges,
): Promise<Outcome> => {
  const states = statesOf(call)
  const plan = await planOf(call, selection, states, newest)
  const movedNow = new Map<string, string>()
  const mayMove = async (record: string): Promise<boolean> => {
    if (!isAllowed || !(await isToMove(call, selection, record, includesConflicts))) return false
    movedNow.set(record, moved.get(record) ?? (await currentVersion(call, 'knowledge', record))!)
    return true
  }
  const attempt = () =>
    allOrNothing(call.db, () => putBack(call, plan, includesConflicts, { mayMove, moved })).catch(obstacleOf)
  const outcome = await countingKept(call.origin.usage, attempt, (made) => made === 'unchanged' || 'undoes' in made)
  if (outcome === 'unchanged') return { unchanged: refOfRow(newest) }
  if ('undoes' in outcome) for (const [record, before] of movedNow) moved.set(record, before)
  return 'undoes' in outcome
    ? { undone: outcome }
    : { conflict: await conflictOf(call, selection, states, plan, outcome) }
}

/** How much of a record was not put back but might be, once others are: its links, or all of it. */
const openParts = (outcome: Outcome): number => {
  if ('undone' in outcome) return outcome.undone.skipped.length
  return 'conflict' in outcome && outcome.conflict.reason === 'refused' ? 1 : 0
}

interface Attempt {
  newest: HistoryRow
  /** Undefined where it is left to the next page. */
  outcome: Outcome | undefined
}

const isOpen = ({ outcome }: Attempt): boolean => outcome !== undefined && openParts(outcome) > 0

const positionOf = ({ newest: { sequence, place } }: Attempt): Position => [sequence, place]

const afterAnother = async (call: Call, before: Outcome | undefined, now: Outcome): Promise<Outcome> => {
  if (!before || !('undone' in before) || 'conflict' in now) return now
  const { undone } = before
  if ('undone' in now) {
    const { version, skipped, after } = now.undone
    return { undone: { ...undone, version, skipped, after: undone.before && after } }
  }
  const version =
    undone.task === undefined ? undone.version : versionOf(await currentVersion(call, 'task', undone.task))
  return { undone: { ...undone, version, skipped: [] } }
}

/** Puts records back, and again those for which others that were put back later stood in the way; whether to the end. */
const putBackAll = async (
  call: Call,
  selection: Selection,
  attempts: readonly Attempt[],
  includesConflicts: boolean,
): Promise<boolean> => {
  const exchanges: PageExchanges = { isAllowed: false, moved: new Map() }
  let open = attempts
  let parts = Number.POSITIVE_INFINITY
  for (let pass = 0; pass < maxPasses && open.length > 0; pass++) {
    for (const attempt of open) {
      if (call.work?.isPageOver()) return false
      const now = await undoRecord(call, selection, attempt.newest, includesConflicts, exchanges)
      attempt.outcome = await afterAnother(call, attempt.outcome, now)
    }
    open = open.filter(isOpen)
    const left = open.reduce((sum, { outcome }) => sum + openParts(outcome!), 0)
    if (left >= parts && exchanges.isAllowed) return true
    exchanges.isAllowed = left >= parts
    parts = left
  }
  return true
}

export interface UndonePage extends Pick<UndoReport, 'unchanged'> {
  undone: PutBack[]
  conflicts: FoundConflict[]
  next: PageStart | undefined
}

export const undoPage = async (
  call: Call,
  selection: Selection,
  { before, retries }: PageStart,
  includesConflicts: boolean,
): Promise<UndonePage> => {
  const { newest, next } = await selection.records(before, recordsPerPage)
  const found = await Promise.all(retries.map((position) => findChange(call, position)))
  const attemptsAt = async (rows: readonly HistoryRow[]): Promise<Attempt[]> => {
    const attempts: Attempt[] = []
    for (const row of rows) if (await isReachable(call, row)) attempts.push({ newest: row, outcome: undefined })
    return attempts
  }
  const fresh = await attemptsAt(newest)
  const retried = await attemptsAt(found.flatMap((row) => (row && selection.isSelected(row) ? [row] : [])))
  const attempts = [...fresh, ...retried]
  const isFinished = await putBackAll(call, selection, attempts, includesConflicts)

  const lastTried = fresh.findLast(({ outcome }) => outcome)
  const tried = lastTried ? positionOf(lastTried) : before
  const isFreshLeft = fresh.some(({ outcome }) => !outcome)
  const goOn = isFreshLeft ? tried : (next ?? (isFinished ? undefined : tried))
  // At the end of the selection none is tried for ever.
  const mayRetry = fresh.length > 0 || next !== undefined
  const carried = goOn
    ? [...retried.filter(({ outcome }) => !outcome), ...(mayRetry ? attempts.filter(isOpen) : [])].slice(0, maxRetries)
    : []
  const report: UndonePage = {
    undone: [],
    conflicts: [],
    unchanged: [],
    next: goOn && { before: goOn, retries: carried.map(positionOf) },
  }
  for (const attempt of attempts) {
    const { outcome } = attempt
    if (!outcome) continue
    if ('undone' in outcome) report.undone.push(outcome.undone)
    else if ('conflict' in outcome) {
      if (!carried.includes(attempt)) report.conflicts.push(outcome.conflict)
    } else report.unchanged.push(outcome.unchanged)
  }
  return report
}
