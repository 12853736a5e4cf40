import { kindOfType, type RecordKind } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { taskOfToken } from '../../work/tasks/claims/rules.js'
import { parseVersion } from '../../work/tasks/kept-version.js'
import { currentVersion } from '../history/current-version.js'
import { changesAfter, type HistoryRow, type Selection } from '../history/selection.js'
import { isArrival, type States } from '../history/states.js'

const serviceKey = 'service'

/** The end of a claim is the service's own doing, whoever came by first. */
const isOfService = ({ key_id, type }: HistoryRow): boolean => key_id === serviceKey || type === 'task.claim_expired'

/** What is to be done about a record. */
export interface Plan {
  kind: RecordKind
  record: string
  /** The newest selected change. */
  newest: HistoryRow
  /** The record as it was before the first selected change; null where it was not there. */
  wanted: string | null
  /** All changes since then, that one included, the oldest first. */
  changes: readonly HistoryRow[]
  /** Those of them that someone else made, the service apart. */
  others: readonly HistoryRow[]
}

const othersAmong = (call: Call, changes: readonly HistoryRow[], selection: Selection): HistoryRow[] => {
  const isOfThisUndo = (row: HistoryRow): boolean =>
    row.key_id === call.actor.keyId && row.sequence > selection.upToSequence
  const ownEvents = new Set<string>()
  return changes.filter((row) => {
    const isOwn =
      selection.isByActor(row) ||
      isOfService(row) ||
      (row.undoes !== null && (ownEvents.has(row.undoes) || isOfThisUndo(row)))
    if (isOwn) ownEvents.add(row.event_id)
    return !isOwn
  })
}

/**
 * A version of a task before a change that was made under its claim. A claim that is over does not come back, so the task is
 * to be handed out again, with the attempts that count now.
 */
const withoutClaim = async (call: Call, first: HistoryRow, version: string): Promise<string> => {
  const { record, claim, type } = first
  if (claim === null || taskOfToken(claim) !== record || type === 'task.claimed') return version
  const wanted = parseVersion(version)
  const living = await currentVersion(call, 'task', record)
  const handedOut = { ...wanted, status: 'todo', statusCategory: 'todo' as const }
  const { statusCategory, attempts } = living === undefined ? handedOut : parseVersion(living)
  const isOver = wanted.statusCategory === 'in_progress' && statusCategory !== 'in_progress'
  return isOver ? JSON.stringify({ ...handedOut, attempts }) : version
}

export const planOf = async (call: Call, selection: Selection, states: States, newest: HistoryRow): Promise<Plan> => {
  const { record } = newest
  const first = (await selection.firstOf(record, [0, 0])) ?? newest
  const changes = [first, ...(await changesAfter(call, first))]
  const wasThere = !first.type.endsWith('.restored') && !isArrival(first)
  const kind = kindOfType(newest.type)
  const before = wasThere ? await states.before(first) : null
  return {
    kind,
    record,
    newest,
    wanted: before !== null && kind === 'task' ? await withoutClaim(call, first, before) : before,
    changes,
    others: othersAmong(call, changes, selection),
  }
}
