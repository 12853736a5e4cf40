import type { ApiError, Task, TrashEntry } from 'worklore-client'
import { type BulkUnit, sendUnits } from 'worklore-client/bulk'
import { errorText } from '../../api/error-text'
import { withValue } from '../../store/cards/edit-list'
import type { TaskCard } from '../../store/cards/task-card'
import type { CardPatch } from '../../store/cards/tasks'
import type { Console } from '../../store/console'
import { newRequestId } from '../../undo/undo-request'

/** A change of many tasks. */
export type BulkChange =
  | { kind: 'patch'; patch: CardPatch }
  | { kind: 'label'; label: string; isIn: boolean }
  | { kind: 'move'; projectId: string }
  | { kind: 'delete' }

export interface Refusal {
  id: string
  reason: string
}

export interface Outcome {
  done: string[]
  refused: Refusal[]
  /** The ID that all of it can be undone by. */
  requestId: string
}

type Results = Omit<Outcome, 'requestId'>
type Progress = (count: number) => void
type Operation = BulkUnit['operations'][number]

const pathOf = (id: string): string => `/v1/tasks/${encodeURIComponent(id)}`

/** Sends an operation for each task, in batches; those that are refused are left out. */
const sendEach = async (
  { client, tasks }: Console,
  operations: readonly [id: string, operation: Operation][],
  requestId: string,
  onProgress: Progress,
): Promise<Results> => {
  const outcome: Results = { done: [], refused: [] }
  const units = operations.map(
    ([id, operation]): BulkUnit => ({
      operations: [operation],
      onDone: ([result]) => {
        outcome.done.push(id)
        const { data } = (result?.body ?? {}) as { data?: Task }
        if (operation.method === 'PATCH' && data) tasks.add([data])
      },
      onRefusal: (error: ApiError) => {
        outcome.refused.push({ id, reason: errorText(error) })
        return undefined
      },
    }),
  )
  await sendUnits(client, units, { requestId, onProgress })
  return outcome
}

/** Does something to each, one request after the other. */
const oneByOne = async <T>(
  items: readonly T[],
  idOf: (item: T) => string,
  run: (item: T) => Promise<unknown>,
  onProgress: Progress,
): Promise<Results> => {
  const outcome: Results = { done: [], refused: [] }
  for (const item of items) {
    try {
      await run(item)
      outcome.done.push(idOf(item))
    } catch (error) {
      outcome.refused.push({ id: idOf(item), reason: errorText(error) })
    }
    onProgress(1)
  }
  return outcome
}

const patchOf = (card: TaskCard, change: Extract<BulkChange, { kind: 'patch' | 'label' }>): object => {
  if (change.kind === 'label') return { labels: withValue(card.labels, change.label, change.isIn) }
  const { assignee: _, ...body } = change.patch
  return body
}

/** How many of the others are above a task. */
const depthIn = (console: Console, ids: ReadonlySet<string>, card: TaskCard): number => {
  let depth = 0
  for (let at = card.parentId; at !== null && depth < ids.size; at = console.tasks.card(at)?.parentId ?? null) {
    if (ids.has(at)) depth++
  }
  return depth
}

const send = (
  console: Console,
  cards: readonly TaskCard[],
  change: BulkChange,
  requestId: string,
  onProgress: Progress,
): Promise<Results> => {
  const { client, tasks } = console
  const ids = new Set(cards.map(({ id }) => id))
  if (change.kind === 'move') {
    // Subtasks go along with what is above them.
    const roots = cards.filter((card) => card.projectId !== change.projectId && depthIn(console, ids, card) === 0)
    const move = async ({ id }: TaskCard): Promise<void> => {
      tasks.add([await client.tasks.move(id, change.projectId, { requestId })])
    }
    return oneByOne(roots, ({ id }) => id, move, onProgress)
  }
  if (change.kind === 'delete') {
    // What is below goes first.
    const deepestFirst = cards
      .map((card) => ({ id: card.id, depth: depthIn(console, ids, card) }))
      .sort((a, b) => b.depth - a.depth)
    const operations = deepestFirst.map(({ id }): [string, Operation] => [id, { method: 'DELETE', path: pathOf(id) }])
    return sendEach(console, operations, requestId, onProgress)
  }
  const operations = cards.map((card): [string, Operation] => [
    card.id,
    {
      method: 'PATCH',
      path: pathOf(card.id),
      body: patchOf(card, change),
      ...(change.kind === 'label' && { headers: { 'If-Match': `"${card.version}"` } }),
    },
  ])
  return sendEach(console, operations, requestId, onProgress)
}

/** Changes as many of the tasks as possible under one request ID. */
export const runBulk = async (
  console: Console,
  cards: readonly TaskCard[],
  change: BulkChange,
  onProgress: Progress,
): Promise<Outcome> => {
  const requestId = newRequestId()
  return { ...(await send(console, cards, change, requestId, onProgress)), requestId }
}

/** Takes many records out of the trash. */
export const restoreMany = async (console: Console, entries: readonly TrashEntry[]): Promise<Outcome> => {
  const requestId = newRequestId()
  const restore = ({ id }: TrashEntry): Promise<unknown> => console.client.trash.restore(id, { requestId })
  // A parent that was deleted after its subtasks comes back before them.
  const outcome = await oneByOne(
    entries,
    ({ task, title }) => task ?? title,
    restore,
    () => undefined,
  )
  return { ...outcome, requestId }
}
