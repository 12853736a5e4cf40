import { isoTime } from '../../base/clock.js'
import type { Call } from '../../operations/call.js'
import { deletedProjectIds } from '../../tenancy/projects/service.js'
import { maxKeptMarks, type StaleMark, type StaleReason } from '../fields/stale-marks.js'
import {
  dependentItems,
  type ItemMarks,
  type ReliedItem,
  reliedItems,
  showItemMarks,
} from '../knowledge/relied/relied.js'
import { dependentTasks, showTaskMarks, type TaskMarks } from '../tasks/stale.js'
import * as store from './store.js'

/** A task or an item that relied on another, by its id, and the version that it relied on. */
export interface Dependent {
  id: string
  version: number
}

/** Who caused an item not to hold, if anyone did, and when: marks from before were about another cause. */
export interface Cause {
  userId: string | null
  sinceMs: number
}

export const noCause: Cause = { userId: null, sinceMs: 0 }

const isItem = ({ id }: Dependent): boolean => id.startsWith('kno_')

/** That an item was replaced or has expired concerns work that goes on. */
const isOfOpenTasks = (why: StaleReason): boolean => why === 'superseded' || why === 'expired'

/** A dependent that is there, and what becomes of it. */
interface Living extends Dependent {
  /** What it shows, as JSON; null for nothing. */
  stale: string | null
  projectId: string
  isOpenTask: boolean
  show(stale: string | null, notice: TaskMarks['notice']): void
}

/** What is to be shown, gathered until it is written. */
interface Shown {
  tasks: TaskMarks[]
  items: ItemMarks[]
}

const livingAmong = async (call: Call, dependents: readonly Dependent[], shown: Shown): Promise<Living[]> => {
  const versions = new Map(dependents.map(({ id, version }) => [id, version]))
  const idsOf = (some: readonly Dependent[]): string[] => some.map(({ id }) => id)
  const tasks = await dependentTasks(call, idsOf(dependents.filter((each) => !isItem(each))))
  const items = await dependentItems(call, idsOf(dependents.filter(isItem)))
  return [
    ...tasks.map((dependent) => ({
      ...{ id: dependent.id, version: versions.get(dependent.id)!, stale: dependent.stale },
      ...{ projectId: dependent.projectId, isOpenTask: dependent.isOpen },
      show: (stale: string | null, notice: TaskMarks['notice']) => void shown.tasks.push({ dependent, stale, notice }),
    })),
    ...items.map((item) => ({
      ...{ id: item.id, version: versions.get(item.id)!, stale: item.stale },
      ...{ projectId: item.project_id, isOpenTask: false },
      show: (stale: string | null, notice: TaskMarks['notice']) =>
        void shown.items.push({ item, stale, isNew: notice !== null }),
    })),
  ]
}

/** Why a dependent is to be marked; null where it is not. One that was marked while it was open stays so. */
const whyOf = (
  why: StaleReason | null,
  { isOpenTask }: Living,
  mark: store.MarkRow | undefined,
): StaleReason | null => {
  if (why === null || !isOfOpenTasks(why) || isOpenTask) return why
  return mark && isOfOpenTasks(mark.why) ? mark.why : null
}

/** The marks that dependents are to show, as JSON, by their ids. */
const shownMarks = async (call: Call, ids: readonly string[]): Promise<Map<string, string>> => {
  const rows = await store.findShownMarks(call.db, call.actor.tenantId, ids, maxKeptMarks)
  const items = await reliedItems(call, [...new Set(rows.map(({ item_id }) => item_id))])
  const itemOf = new Map(items.map((item) => [item.id, item]))
  const marks = new Map<string, StaleMark[]>()
  for (const { dependent, item_id, version, why, marked_at } of rows) {
    const item = itemOf.get(item_id)
    // A purged one is shown nowhere.
    if (!item) continue
    const { key, projectId } = item
    const mark = { key, projectId: projectId || null, version, why, at: isoTime(marked_at) }
    marks.set(dependent, [...(marks.get(dependent) ?? []), mark])
  }
  return new Map([...marks].map(([id, shown]) => [id, JSON.stringify(shown)]))
}

const whatHappened: Record<StaleReason, string> = {
  retracted: 'was retracted',
  disputed: 'is disputed',
  deleted: 'was deleted',
  superseded: 'was superseded',
  expired: 'has expired',
}

/** Says what happened; the item is not named to those who may read the dependent alone. */
const noticeOf = (item: ReliedItem, why: StaleReason, living: Living, atMs: number): TaskMarks['notice'] => {
  const isNamed = item.projectId === '' || item.projectId === living.projectId
  const name = isNamed ? `"${item.key}" v${living.version}` : 'a note of another project'
  return {
    cause: `${living.id} relied on ${item.id} ${why} ${atMs}`,
    text: `It relied on ${name}, which ${whatHappened[why]}.`,
  }
}

/**
 * Makes the marks about an item on some dependents what they are to be now. It may be repeated: what is right already
 * stays. Where a dependent shows no marks, those that it has were cleared and are not set again for the same reason.
 */
export const updateMarks = async (
  call: Call,
  item: Pick<ReliedItem, 'id' | 'why'> & Partial<ReliedItem>,
  dependents: readonly Dependent[],
  { userId, sinceMs }: Cause,
): Promise<void> => {
  if (dependents.length === 0) return
  const { db, actor, clock } = call
  const { tenantId } = actor
  const nowMs = clock()
  const shown: Shown = { tasks: [], items: [] }
  const deleted = await deletedProjectIds(call)
  // Records that were deleted with the item are restored with it.
  const isWithItem = ({ projectId }: Living): boolean => projectId === item.projectId && deleted.has(projectId)
  const living = (await livingAmong(call, dependents, shown)).filter((each) => !isWithItem(each))
  const cleared = living.filter(({ stale }) => stale === null).map(({ id }) => id)
  if (cleared.length > 0) await db.runAll([store.acceptMarks(db, tenantId, cleared)])
  const found = await store.findMarks(
    db,
    tenantId,
    item.id,
    dependents.map(({ id }) => id),
  )
  const marks = new Map(found.map((mark) => [mark.dependent, mark]))

  const whys = new Map(living.map((each) => [each.id, whyOf(item.why, each, marks.get(each.id))]))
  // Of what is not there, nothing is known but that a mark without a cause goes.
  const isOver = ({ dependent }: store.MarkRow): boolean =>
    item.why === null || (whys.has(dependent) && whys.get(dependent) === null)
  const over = found.filter(isOver).map(({ dependent }) => dependent)
  const isNew = ({ id }: Living): boolean => {
    const [why, mark] = [whys.get(id)!, marks.get(id)]
    return why !== null && !(mark?.why === why && mark.marked_at >= sinceMs)
  }
  const added = living.filter(isNew).map(({ id, version }) => ({
    ...{ dependent: id, item_id: item.id, version, why: whys.get(id)!, marked_at: nowMs },
  }))
  await db.runAll([
    ...(over.length > 0 ? [store.deleteMarks(db, tenantId, item.id, over)] : []),
    ...(added.length > 0 ? [store.writeMarks(db, tenantId, added)] : []),
  ])

  const texts = await shownMarks(
    call,
    living.map(({ id }) => id),
  )
  for (const each of living) {
    const stale = texts.get(each.id) ?? null
    if (stale === each.stale) continue
    each.show(stale, isNew(each) ? noticeOf(item as ReliedItem, whys.get(each.id)!, each, nowMs) : null)
  }
  await showTaskMarks(call, shown.tasks, userId)
  await showItemMarks(call, shown.items)
}
