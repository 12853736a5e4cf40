import { NotFoundError, PreconditionFailedError, type Task } from 'worklore-client'
import { isGone } from '../github/client.js'
import type { Issue } from '../github/records.js'
import { type ChangesHere, changesHere, latestEvent } from './changes-here.js'
import type { SyncContext } from './context.js'
import { reportFailure } from './failures.js'
import { byIssue, findByIssue, scanTasks } from './find-tasks.js'
import { issueOf, linkOf } from './link.js'
import { copyFromGitHub } from './markers.js'
import type { OpenPull, Position } from './position.js'

/** What is known while both sides are brought in step once. */
export interface Round {
  context: SyncContext
  /** Nothing was read from GitHub before. */
  isImport: boolean
  /** Everything is compared, whatever the position says. */
  isFull: boolean
  mode: string
  /** What changed in the service; undefined where its log does not tell. */
  here: ChangesHere | undefined
  events: number
  /** Every task, where all are compared. */
  scanned: Task[] | undefined
  /** The tasks of issues as far as they are known, as they are now. */
  tasks: Map<number, Task>
  /** Issues whose tasks were created by this import, so that they have no comments yet. */
  fresh: Set<number>
  /** Comments that were copied to those. */
  copied: Set<number>
  /** Issues whose tasks a dry run would create. */
  announced: Set<number>
  /** Issues and pull requests that were looked at. */
  seen: Set<number>
  /** Looked at when the tasks of all changed issues are there. */
  changedPulls: Map<number, Issue>
  /** These go into the position. */
  gone: Set<number>
  left: Set<number>
  pending: Set<number>
  unfinished: Set<number>
  openPulls: Map<number, OpenPull>
  named: Map<number, string[]>
  unsent: Set<string>
  dropped: Set<number>
}

export const startRound = async (context: SyncContext, position: Position, isFullAsked: boolean): Promise<Round> => {
  const isImport = position.issues.since === undefined
  // What was left alone in another mode was not left for later.
  const mode = [context.direction, ...context.labels].join(' ')
  const isFull = isFullAsked || (position.mode !== undefined && position.mode !== mode)
  const here = position.events === undefined ? undefined : await changesHere(context, position.events)
  const events = here?.events ?? (await latestEvent(context))
  const isCompared = !here || isFull || isImport
  const named = new Map(position.named)
  const noteNamed = (task: Task): void => {
    for (const key of Object.keys(linkOf(task).pulls ?? {})) {
      const pull = issueOf({ externalId: key }, context.repo)
      if (pull !== undefined) named.set(pull, [...new Set([...(named.get(pull) ?? []), task.id])])
    }
  }
  const all = isCompared || position.isInterrupted ? await scanTasks(context, noteNamed) : undefined
  const scanned = isCompared ? all : undefined
  const deleted = [...(here?.comments.values() ?? [])].flatMap((changes) => changes.deleted)
  const dropped = deleted
    .flatMap((comment) => copyFromGitHub(comment, context.writers) ?? [])
    .map(({ id }) => Number(id))
  return {
    ...{ context, isImport, isFull, mode, here, events, scanned },
    tasks: byIssue(scanned ?? [], context),
    fresh: new Set(),
    announced: new Set(),
    copied: new Set(),
    seen: new Set(),
    changedPulls: new Map(),
    gone: new Set([...position.gone, ...(here?.deleted.keys() ?? [])]),
    left: new Set(position.left),
    pending: new Set(position.pending),
    unfinished: new Set(position.unfinished),
    openPulls: new Map(position.openPulls.map((pull) => [pull.number, pull])),
    named,
    unsent: new Set(position.unsent),
    dropped: new Set([...position.dropped, ...dropped]),
  }
}

/** Notes in the position what the round found. */
export const endRound = (round: Round, position: Position): void => {
  const { mode, events, pending, unfinished, gone, left, openPulls, named, unsent, dropped } = round
  delete position.isInterrupted
  Object.assign(position, {
    ...{ mode, events },
    pending: [...pending],
    unfinished: [...unfinished],
    gone: [...gone],
    left: [...left],
    openPulls: [...openPulls.values()],
    named: [...named],
    unsent: [...unsent],
    dropped: [...dropped],
  })
}

export const notePending = ({ pending }: Round, number: number, isPending: boolean): void => {
  if (isPending) pending.add(number)
  else pending.delete(number)
}

/** One record that changes or goes while it is looked at, or that GitHub fails for, does not stop the others. */
export const guarded = async (round: Round, number: number, step: () => Promise<void>): Promise<void> => {
  try {
    await step()
  } catch (error) {
    if (!(error instanceof PreconditionFailedError || error instanceof NotFoundError || isGone(error))) {
      await reportFailure(round.context, { issue: number }, error)
      // Nobody knows how far its comments came.
      round.unfinished.add(number)
    }
    round.pending.add(number)
  }
}

/** Finds the tasks of issues. */
export const learn = async ({ context, scanned, tasks }: Round, numbers: readonly number[]): Promise<void> => {
  if (scanned) return
  const unknown = numbers.filter((number) => !tasks.has(number))
  for (const [number, task] of await findByIssue(context, unknown)) tasks.set(number, task)
}

/** Whether an issue or a task that is not linked is to be. */
export const hasLabels = ({ context }: Round, own: readonly string[]): boolean =>
  context.labels.every((label) => own.includes(label))
