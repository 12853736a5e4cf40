import { type Awaitable, andThen } from '../../../base/awaitable.js'
import { invalid } from '../../../base/errors.js'
import { type Call, changing } from '../../../operations/call.js'
import { inTurns } from '../../../scheduling/in-turns.js'
import { findReferences } from '../references.js'
import { answerOf, findTask, type TaskAnswer, touchTask } from '../service.js'
import { findTask as findStored } from '../store.js'
import type { StoredTask } from '../stored-task.js'
import { recordRanked } from '../write/record.js'
import type { TaskRank } from './schema.js'
import * as store from './store.js'
import { rankStep } from './store.js'

/** What is left between tasks beyond which a project has no others. */
const openStep = 1_048_576

/** How many tasks on each side are given other ranks where there is no room, at first. */
const firstRadius = 16

/** Between which tasks another one is to stand; undefined at an end of the project. */
interface Gap {
  before: store.RankedTask | undefined
  after: store.RankedTask | undefined
}

const hasOne = ({ before, after, to }: TaskRank): boolean =>
  [before, after, to].filter((value) => value !== undefined).length === 1

const asRanked = ({ doc, rank, number }: StoredTask): store.RankedTask => ({ id: doc.id, rank, number })

/** A task of the same project. */
const neighbourNamed = async (call: Call, { doc }: StoredTask, path: 'before' | 'after', id: string) => {
  if (id === doc.id) throw invalid({ path, message: 'must not be the task itself' })
  const found = (await findReferences(call, [id])).get(id)
  if (found?.projectId !== doc.projectId)
    throw invalid({ path, message: `task "${id}" not found in this project`, record: 'task' })
  return asRanked((await findStored(call.db, call.actor.tenantId, id))!)
}

const gapFor = async (call: Call, task: StoredTask, { before, after, to }: TaskRank): Promise<Gap> => {
  const { db, actor } = call
  const { id, projectId } = task.doc
  if (to === 'bottom') return { before: asRanked(task), after: undefined }
  if (to === 'top') return { before: undefined, after: await store.findFirst(db, actor.tenantId, projectId) }
  const side = before === undefined ? 'after' : 'before'
  const neighbour = await neighbourNamed(call, task, side, (before ?? after)!)
  const [other] = await store.findBeside(db, actor.tenantId, projectId, side, neighbour, id, 1)
  return side === 'before' ? { before: other, after: neighbour } : { before: neighbour, after: other }
}

const isLess = (one: store.RankedTask, other: store.RankedTask): boolean =>
  one.rank === other.rank ? one.number < other.number : one.rank < other.rank

/** Whether a task stands in the gap already. */
const isThere = async ({ db, actor }: Call, task: StoredTask, { before, after }: Gap): Promise<boolean> => {
  const own = asRanked(task)
  if (after && after.id !== own.id && !isLess(own, after)) return false
  if (before && before.id !== own.id && !isLess(before, own)) return false
  if (after) return true
  return (await store.findBeside(db, actor.tenantId, task.doc.projectId, 'after', own, own.id, 1)).length === 0
}

const even = (rank: number): number => 2 * Math.floor(rank / 2)
/** Ranks that are set by hand are odd, and those that make room are even: a cursor follows its task to the latter. */
const byHand = (rank: number): number => even(rank) + 1
const isByHand = (rank: number): boolean => even(rank) !== rank

/** Spreads tasks evenly between two ranks; there are no others beyond one that is undefined. */
const spread = (
  tasks: readonly store.RankedTask[],
  below: number | undefined,
  beyond: number | undefined,
): store.RankedTask[] => {
  const isClosed = below !== undefined && beyond !== undefined
  const step = isClosed ? Math.floor((beyond - below) / (tasks.length + 1)) : openStep
  const start = below ?? (beyond ?? tasks.at(-1)!.rank + step) - step * (tasks.length + 1)
  return tasks.map((task, at) => ({ ...task, rank: even(start + step * (at + 1)) }))
}

/** Makes room between two tasks: those around them, and the one that comes between, get ranks that are further apart. */
const respaced = async (
  call: Call,
  task: StoredTask,
  before: store.RankedTask,
  after: store.RankedTask,
): Promise<store.RankedTask[]> => {
  const { db, actor } = call
  const { id, projectId } = task.doc
  const beside = (side: 'before' | 'after', place: store.RankedTask, count: number) =>
    store.findBeside(db, actor.tenantId, projectId, side, place, id, count)
  for (let radius = firstRadius; ; radius *= 4) {
    const lower = [before, ...(await beside('before', before, radius))]
    const upper = [after, ...(await beside('after', after, radius))]
    // The last one on each side tells how far there is room.
    const below = lower.length > radius ? lower.pop() : undefined
    const beyond = upper.length > radius ? upper.pop() : undefined
    const inOrder = [...lower.toReversed(), asRanked(task), ...upper]
    call.work?.spend('look', inOrder.length)
    const isRoomy = !below || !beyond || beyond.rank - below.rank >= rankStep * (inOrder.length + 1)
    if (!isRoomy) continue
    return spread(inOrder, below?.rank, beyond?.rank).map((ranked) =>
      ranked.id === id ? { ...ranked, rank: byHand(ranked.rank) } : ranked,
    )
  }
}

/** The ranks that put a task into a gap: its own, and those of others where there is no room for it. */
const ranksFor = async (call: Call, task: StoredTask, { before, after }: Gap): Promise<store.RankedTask[]> => {
  const own = asRanked(task)
  const { db, actor, clock } = call
  if (!after) {
    const last = await store.takeLast(db, actor.tenantId, task.doc.projectId, clock())
    return [{ ...own, rank: byHand(last) }]
  }
  if (!before) return [{ ...own, rank: byHand(after.rank - openStep) }]
  const rank = byHand(before.rank + (after.rank - before.rank) / 2)
  const isBetween = rank > before.rank && rank < after.rank
  return isBetween ? [{ ...own, rank }] : respaced(call, task, before, after)
}

const ranksPerTurn = 100

/** Orders a task among those of its project. */
export const rankTask = (call: Call, id: string, wanted: TaskRank): Promise<TaskAnswer> =>
  changing(call, async (call) => {
    const { db, actor } = call
    const task = await touchTask(call, id)
    if (!hasOne(wanted)) throw invalid({ path: 'before', message: 'exactly one of before, after and to is required' })
    const gap = await gapFor(call, task, wanted)
    if (await isThere(call, task, gap)) return answerOf(task)
    const ranks = await ranksFor(call, task, gap)
    call.work?.spend('count', ranks.length)
    await inTurns(ranks, ranksPerTurn, async (some) => {
      await db.runAll(some.flatMap((ranked) => store.setRank(actor.tenantId, ranked)))
    })
    await db.runAll([store.raiseLast(actor.tenantId, task.doc.projectId, ranks.at(-1)!.rank)])
    const after = await findTask(call, id)
    await recordRanked(call, task, after, ranks)
    return answerOf(after)
  })

/** Where a task is that a list by rank has come to: where it was, unless it has made room for another one since. */
export const rankNow = (
  { db, actor }: Call,
  [rank, projectId, number]: readonly [rank: number, projectId: string, number: number],
): Awaitable<number> =>
  andThen(store.findRank(db, actor.tenantId, projectId, number), (now) =>
    now === undefined || isByHand(now) ? rank : now,
  )

/** Ranks after all others of a project for tasks that come into it, which keep their order. */
export const takeRanks = async (
  { db, actor, clock }: Call,
  projectId: string,
  tasks: readonly StoredTask[],
): Promise<ReadonlyMap<string, number>> => {
  const first = await store.takeLast(db, actor.tenantId, projectId, clock())
  const inOrder = tasks.toSorted((one, other) => one.rank - other.rank || one.number - other.number)
  await db.runAll([store.raiseLast(actor.tenantId, projectId, first + rankStep * (tasks.length - 1))])
  return new Map(inOrder.map(({ doc }, at) => [doc.id, first + rankStep * at]))
}
