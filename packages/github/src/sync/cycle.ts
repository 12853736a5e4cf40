import type { ChangedPage } from '../github/client.js'
import { commentsChanged } from './comments-there.js'
import type { SyncContext } from './context.js'
import { finishComments, issuesChanged, lookAt, pullsChanged } from './issues-there.js'
import { pullsToLookAt } from './open-pulls.js'
import type { ListPosition, Position } from './position.js'
import { endRound, type Round, startRound } from './round.js'
import { tasksChanged } from './tasks-here.js'

interface CycleOptions {
  /** Compare everything, whatever the position says. */
  isFull: boolean
  /** Ask GitHub for what changed there. */
  withGitHub: boolean
  /** Try again what was refused before. */
  withPending: boolean
  /** Issues that a webhook named. */
  issues: readonly number[]
}

/** Lists of GitHub may show a change later than one that came after it. */
const overlapMs = 10_000

/** GitHub's times have no milliseconds. */
const githubTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

const sinceAfter = (since: string | undefined, last: string | undefined): string | undefined => {
  if (last === undefined) return since
  const next = githubTime(Date.parse(last) - overlapMs)
  return since !== undefined && since > next ? since : next
}

/** Reads a list of changes to its end, and gives the position after it. */
const follow = async <T extends { updated_at: string }>(
  pages: AsyncIterable<ChangedPage<T>>,
  start: ListPosition,
  onPage: (records: T[]) => Promise<void>,
): Promise<ListPosition> => {
  let next = start
  let last: string | undefined
  for await (const { records, etag, count } of pages) {
    await onPage(records)
    last = records.at(-1)?.updated_at ?? last
    const since = sinceAfter(start.since, last)
    // The ETag is of the list after `start`.
    next = { ...(since && { since }), ...(etag && since === start.since && { etag, ...(count && { count }) }) }
  }
  return next
}

const readGitHub = async (round: Round, position: Position): Promise<void> => {
  const { context, isFull, seen } = round
  const { github, report } = context
  const issues = isFull ? {} : position.issues
  const comments = isFull ? {} : position.comments
  let count = 0
  position.issues = await follow(
    github.changedIssues(issues.since, issues.etag, issues.count),
    issues,
    async (records) => {
      await issuesChanged(round, records)
      report.progress('issues read', seen.size)
    },
  )
  position.comments = await follow(
    github.changedComments(comments.since, comments.etag, comments.count),
    comments,
    async (records) => {
      await commentsChanged(round, records, comments.since)
      count += records.length
      report.progress('comments read', count)
    },
  )
  for (const number of await pullsToLookAt(round)) await lookAt(round, number)
}

/** One round: what changed on either side since the position is brought to the other; the position follows. */
export const runCycle = async (context: SyncContext, position: Position, options: CycleOptions): Promise<void> => {
  const { isFull, withGitHub, withPending, issues } = options
  const round = await startRound(context, position, isFull)
  if (withGitHub) await readGitHub(round, position)
  const again = new Set([...issues, ...(withPending ? position.pending : [])])
  for (const number of again) if (!round.seen.has(number)) await lookAt(round, number)
  if (withPending) await finishComments(round, position.unfinished)
  await pullsChanged(round)
  await tasksChanged(round, withGitHub, withPending)
  endRound(round, position)
}
