import { ConflictError, PreconditionFailedError, type Task } from 'worklore-client'
import { isGone } from '../github/client.js'
import type { CheckRun, Issue, Review } from '../github/records.js'
import { goesIn, type SyncContext } from './context.js'
import { findById, findByIssue } from './find-tasks.js'
import { externalIdOf, type LinkedPull, linkOf } from './link.js'
import { isClaimed, isRecordRefusal, writeTask } from './pair.js'
import type { OpenPull } from './position.js'
import { referencesOf } from './references.js'
import { withinCharacters } from './text.js'

const maxPullsPerTask = 20
const maxTitleLength = 200

const checksOf = (runs: readonly CheckRun[]): LinkedPull['checks'] => {
  if (runs.length === 0) return null
  if (runs.some(({ status }) => status !== 'completed')) return 'pending'
  const good = ['success', 'neutral', 'skipped']
  return runs.every(({ conclusion }) => good.includes(conclusion ?? '')) ? 'passed' : 'failed'
}

/** The last word of each reviewer counts. */
const reviewStateOf = (reviews: readonly Review[]): LinkedPull['state'] => {
  const last = new Map<string, string>()
  for (const { user, state } of reviews)
    if (user && (state !== 'COMMENTED' || !last.has(user.login))) last.set(user.login, state)
  const states = [...last.values()]
  if (states.includes('CHANGES_REQUESTED')) return 'changes_requested'
  if (states.includes('APPROVED')) return 'approved'
  return states.length > 0 ? 'review' : 'open'
}

/** As a pull request is now. */
interface PullState extends Pick<LinkedPull, 'state'> {
  /** Undefined of a closed one: what was last known stays. */
  checks: LinkedPull['checks'] | undefined
  open?: OpenPull
}

/** What a closed pull request came to is in the list already; an open one is asked for. */
const stateOf = async ({ github }: SyncContext, { number, state, pull_request }: Issue): Promise<PullState> => {
  if (pull_request?.merged_at) return { state: 'merged', checks: undefined }
  if (state === 'closed') return { state: 'closed', checks: undefined }
  const { data: pull, etag } = (await github.pull(number))!
  const { sha } = pull.head
  const { data: runs, etag: checksEtag } = (await github.checkRuns(sha))!
  const checks = checksOf(runs.check_runs)
  const open: OpenPull = {
    ...{ number, sha, updatedAt: pull.updated_at, isRunning: checks === 'pending' },
    ...(etag && { etag }),
    ...(checksEtag && { checksEtag }),
  }
  return { state: pull.draft ? 'draft' : reviewStateOf(await github.reviews(number)), checks, open }
}

/** Whether a pull request names anything that may be a task. */
export const namesTasks = ({ repo }: SyncContext, pull: Issue): boolean => {
  const { tasks, issues } = referencesOf(repo, [pull.title, pull.body])
  return tasks.size + issues.size > 0
}

const tasksNamed = async (
  context: SyncContext,
  pull: Issue,
  known: ReadonlyMap<number, Task> | undefined,
): Promise<Map<string, [Task, boolean]>> => {
  const { tasks, issues } = referencesOf(context.repo, [pull.title, pull.body])
  const named = new Map<string, [Task, boolean]>()
  if (tasks.size > 0)
    for (const task of await findById(context, [...tasks.keys()])) named.set(task.id, [task, tasks.get(task.id)!])
  const ofIssues =
    issues.size === 0 ? new Map<number, Task>() : (known ?? (await findByIssue(context, [...issues.keys()])))
  for (const [number, closes] of issues) {
    const task = ofIssues.get(number)
    if (task) named.set(task.id, [task, named.get(task.id)?.[1] === true || closes])
  }
  return named
}

/** False where the rule was refused: it is applied in a later run. */
const note = async (
  context: SyncContext,
  pull: Issue,
  first: Task,
  next: Omit<LinkedPull, 'checks'> & Pick<PullState, 'checks'>,
): Promise<boolean> => {
  const { wl, repo, onMerge, report, isDryRun } = context
  const key = externalIdOf(repo, pull.number)
  let isRefused = false
  const refuse = (task: Task, reason: string): void => {
    isRefused = true
    report.refused({ issue: pull.number, task: task.id, reason })
  }
  for (let task = first; ; task = await wl.tasks.get(task.id)) {
    const link = linkOf(task)
    const known = link.pulls?.[key]
    const isRuled = onMerge !== undefined && next.state === 'merged' && next.closes && !known?.applied
    const isOpen = task.statusCategory !== 'done' && task.statusCategory !== 'cancelled'
    if (isRuled && isOpen && !isRefused && isClaimed(task)) refuse(task, `${task.id} is claimed: its status is not set`)
    const isApplied = known?.applied || (isRuled && !isRefused)
    const checks = next.checks === undefined ? (known?.checks ?? null) : next.checks
    const wanted: LinkedPull = { ...next, checks, ...(isApplied && { applied: true as const }) }
    if (JSON.stringify(known) === JSON.stringify(wanted)) return !isRefused
    const pulls = Object.fromEntries(Object.entries({ ...link.pulls, [key]: wanted }).slice(-maxPullsPerTask))
    const status = isRuled && isOpen && !isRefused ? { status: onMerge } : {}
    try {
      if (!isDryRun) await writeTask(context, task, { ...status, metadata: { github: { ...link, pulls } } })
      report.did({ action: 'pull.linked', issue: pull.number, task: task.id, detail: next.state })
      return !isRefused
    } catch (error) {
      if (error instanceof PreconditionFailedError && error.currentVersion !== null) continue
      if (!isRecordRefusal(error)) throw error
      const isOfRule = error instanceof ConflictError && 'status' in status
      refuse(task, error.message)
      // The state is shown even where the rule is refused, as by checks that have not passed.
      if (!isOfRule) return false
    }
  }
}

/** Takes a pull request off a task that it no longer names. False where that was refused. */
const forget = async (context: SyncContext, pull: Issue, first: Task): Promise<boolean> => {
  const { wl, repo, report, isDryRun } = context
  for (let task = first; ; task = await wl.tasks.get(task.id)) {
    const link = linkOf(task)
    const { [externalIdOf(repo, pull.number)]: known, ...pulls } = link.pulls ?? {}
    if (!known) return true
    try {
      if (!isDryRun) await writeTask(context, task, { metadata: { github: { ...link, pulls } } })
      report.did({ action: 'pull.unlinked', issue: pull.number, task: task.id })
      return true
    } catch (error) {
      if (error instanceof PreconditionFailedError && error.currentVersion !== null) continue
      if (!isRecordRefusal(error)) throw error
      report.refused({ issue: pull.number, task: task.id, reason: error.message })
      return false
    }
  }
}

interface PullOutcome {
  /** The tasks that it is shown on. */
  taskIds: string[]
  /** Where it is open, what later runs compare it with. */
  open?: OpenPull | undefined
  isPending: boolean
}

/**
 * Shows a pull request on the tasks that it names, and on no others, and applies the rule for merged ones. `before` are
 * the tasks that it was shown on, `known` are the tasks of all issues, where they have been read.
 */
export const syncPull = async (
  context: SyncContext,
  pull: Issue,
  before: readonly string[],
  known: ReadonlyMap<number, Task> | undefined,
): Promise<PullOutcome> => {
  if (!goesIn(context)) return { isPending: false, taskIds: [...before] }
  const named = await tasksNamed(context, pull, known)
  const taskIds = [...named.keys()]
  const former = before.filter((id) => !named.has(id))
  let isPending = false
  for (const task of await findById(context, former)) {
    if (await forget(context, pull, task)) continue
    isPending = true
    taskIds.push(task.id)
  }
  if (named.size === 0) return { isPending, taskIds }
  try {
    const { open, ...state } = await stateOf(context, pull)
    const shown = { url: pull.html_url, title: withinCharacters(pull.title, maxTitleLength), ...state }
    for (const [task, closes] of named.values())
      isPending = !(await note(context, pull, task, { ...shown, closes })) || isPending
    return { open, isPending, taskIds }
  } catch (error) {
    if (isGone(error)) return { isPending, taskIds }
    throw error
  }
}
