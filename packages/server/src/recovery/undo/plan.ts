import { kindOfType, type RecordKind } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { taskOfToken } from '../../work/tasks/claims/rules.js'
import { claimHolding, parseVersion } from '../../work/tasks/restore/kept-version.js'
import { withoutEndedClaim } from '../../work/tasks/restore/revert.js'
import { currentVersion } from '../history/current-version.js'
import { changesAfter, type HistoryRow, type Selection } from '../history/selection.js'
import type { States } from '../history/states.js'
import { isSameState } from './revert-record.js'

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

const areSame = (one: string | null, other: string | null): boolean =>
  one === null || other === null ? one === other : isSameState(one, other)

/**
 * Returns the changes after the first one. Leaves out the changes from each undone change to its undo, provided that
 * the undo restored the state before the change.
 */
const withoutTakenBack = async (states: States, changes: readonly HistoryRow[]): Promise<HistoryRow[]> => {
  const left: HistoryRow[] = []
  for (let at = changes.length - 1; at > 0; at--) {
    const row = changes[at]!
    const start = row.undoes === null ? -1 : changes.findIndex(({ event_id }) => event_id === row.undoes)
    const isTakenBack =
      start > 0 && areSame(await states.before(changes[start]!), await states.after(row, changes[at + 1]))
    if (isTakenBack) at = start
    else left.unshift(row)
  }
  return left
}

/** Whether the caller only released the task, as people do to stop an agent before they undo its changes. */
const isRelease = async (call: Call, states: States, row: HistoryRow): Promise<boolean> => {
  if (row.key_id !== call.actor.keyId || claimHolding(row.rest) === undefined) return false
  const [before, after] = [await states.before(row), await states.after(row)]
  if (before === null || after === null) return false
  const { status, statusCategory, attempts } = parseVersion(after)
  return statusCategory === 'todo' && isSameState(after, JSON.stringify({ ...parseVersion(before), status, attempts }))
}

const othersAmong = async (
  call: Call,
  changes: readonly HistoryRow[],
  selection: Selection,
  states: States,
): Promise<HistoryRow[]> => {
  const isOfThisUndo = (row: HistoryRow): boolean =>
    row.key_id === call.actor.keyId && row.sequence > selection.upToSequence
  const ownEvents = new Set([changes[0]!.event_id])
  const others: HistoryRow[] = []
  for (const row of await withoutTakenBack(states, changes)) {
    const isOwn =
      selection.isByActor(row) ||
      isOfService(row) ||
      (row.undoes !== null && (ownEvents.has(row.undoes) || isOfThisUndo(row))) ||
      (await isRelease(call, states, row))
    if (isOwn) ownEvents.add(row.event_id)
    else others.push(row)
  }
  return others
}

/** Whether a change was made under the task's own claim. */
const isByHolder = ({ record, claim, type }: HistoryRow): boolean =>
  claim !== null && taskOfToken(claim) === record && type !== 'task.claimed'

/**
 * A task before a change, as it can be again: if the claim that held it is over, it is to be handed out again. What its
 * holder did leaves the attempts that count now.
 */
const wantedTask = async (call: Call, first: HistoryRow, before: string): Promise<string> => {
  const heldBy = claimHolding(first.rest)
  if (heldBy === undefined) return before
  const version = parseVersion(before)
  const wanted = await withoutEndedClaim(call, version, heldBy)
  if (wanted === version) return before
  const living = isByHolder(first) ? await currentVersion(call, 'task', first.record) : undefined
  const { attempts } = living === undefined ? wanted : parseVersion(living)
  return JSON.stringify({ ...wanted, attempts })
}

export const planOf = async (call: Call, selection: Selection, states: States, newest: HistoryRow): Promise<Plan> => {
  const { record } = newest
  const first = (await selection.firstOf(record, [0, 0])) ?? newest
  const changes = [first, ...(await changesAfter(call, first))]
  const kind = kindOfType(newest.type)
  const before = first.type.endsWith('.restored') ? null : await states.before(first)
  return {
    kind,
    record,
    newest,
    wanted: before !== null && kind === 'task' ? await wantedTask(call, first, before) : before,
    changes,
    others: await othersAmong(call, changes, selection, states),
  }
}
