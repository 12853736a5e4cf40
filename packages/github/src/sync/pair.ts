import {
  type ApiError,
  ConflictError,
  ForbiddenError,
  PayloadTooLargeError,
  PreconditionFailedError,
  type Task,
  type UpdateTaskBody,
  ValidationError,
} from 'worklore-client'
import { isRefusal } from '../github/client.js'
import type { Issue } from '../github/records.js'
import { conflictComment, nameOfField, timesOf, winnerOf } from './conflicts.js'
import { type Direction, goesOut, type SyncContext } from './context.js'
import { labelsForIssue, labelsOfIssue } from './labels.js'
import { externalIdOf, type FieldBase, issueOf, type Link, linkOf, type Side } from './link.js'
import { type Plan, planOf, settledBase, type Values } from './plan.js'
import { digest } from './text.js'
import { assigneeHere, type FieldName, stateOfTask, valuesOf } from './values.js'

interface PairOutcome {
  task: Task
  issue: Issue
  /** One side refused something: it is tried again in the next run. */
  isPending: boolean
}

const maxAttempts = 6

const sourceOf: Record<Direction, Side | undefined> = { in: 'github', out: 'worklore', both: undefined }

export const isClaimed = ({ claim }: Task): boolean => claim !== null && Date.parse(claim.expiresAt) > Date.now()

/** Whether the service refused a change of this record, so that others can go on. */
export const isRecordRefusal = (error: unknown): error is ApiError =>
  error instanceof ConflictError ||
  error instanceof ForbiddenError ||
  error instanceof ValidationError ||
  error instanceof PayloadTooLargeError

const namesOf = (changes: object): string => Object.keys(changes).join(', ')

/** Writes a task and comments on it together, at the version that was read. */
export const writeTask = async (
  { wl }: SyncContext,
  task: Task,
  changes: UpdateTaskBody,
  comments: readonly string[] = [],
): Promise<Task> => {
  if (comments.length === 0) return wl.tasks.update(task.id, changes, { ifMatch: task })
  const [updated] = await wl.batch((batch) => [
    batch.tasks.update(task.id, changes, { ifMatch: task }),
    ...comments.map((body) => batch.tasks.comments(task.id).create({ body })),
  ])
  return updated as Task
}

export const linkTo = (issue: Issue, repo: string, link: Link): Link => ({
  ...link,
  repo,
  number: issue.number,
  url: issue.html_url,
  ...(issue.user && { author: issue.user.login }),
})

const contentOf = ({ title, body, state, state_reason, labels, assignees, milestone }: Issue): string =>
  JSON.stringify([
    ...[title, body, state, state_reason, milestone?.title],
    ...labelsOfIssue({ labels }),
    ...assignees.map(({ login }) => login),
  ])

const accountOf = async ({ people, github }: SyncContext, { assignee }: Task): Promise<string | undefined> => {
  const login = assignee && (await people()).loginOf(assignee.id)
  return login && (await github.isAssignable(login)) ? login : undefined
}

/** Whether a task has what it had when it and its issue were last in step. */
export const isInStep = async (context: SyncContext, task: Task): Promise<boolean> => {
  const { base, number } = linkOf(task)
  if (!base || issueOf(task, context.repo) !== number) return false
  const labels = labelsForIssue(task.labels)
  const here: [FieldBase, string][] = [
    [base.title, task.title],
    [base.body, task.description],
    [base.state, stateOfTask(task)],
    [base.assignee, assigneeHere(task, await accountOf(context, task))],
  ]
  return (
    here.every(([known, text]) => digest(text) === known[1]) &&
    JSON.stringify(labels) === JSON.stringify(base.labels.worklore)
  )
}

/** Brings an issue and its task in step, as often as others come between. */
export const syncPair = async (context: SyncContext, firstIssue: Issue, firstTask: Task): Promise<PairOutcome> => {
  const { wl, github, repo, report, direction, isDryRun } = context
  let issue = firstIssue
  let task = firstTask
  let isPending = false
  const refused = new Set<FieldName>()

  const readValues = async (): Promise<Values> =>
    valuesOf(issue, task, await accountOf(context, task), await context.people())

  const refuse = (reason: string, ...names: FieldName[]): void => {
    for (const name of names) refused.add(name)
    isPending = true
    report.refused({ issue: issue.number, task: task.id, reason })
  }

  const resolve = async (plan: Plan, values: Values): Promise<[Map<FieldName, Side>, string[], string[]]> => {
    const times = await timesOf(wl, github, issue, task, plan.conflicts)
    const winners = new Map<FieldName, Side>()
    const comments: string[] = []
    const details: string[] = []
    for (const name of plan.conflicts) {
      const cut = linkOf(task).base?.[name][2]
      const source = cut ? (cut === 'github' ? 'worklore' : 'github') : sourceOf[direction]
      const winner = source ?? winnerOf(times.get(name)!)
      // What cannot be written now is not decided now.
      if (winner === 'github' && refused.has(name)) continue
      winners.set(name, winner)
      comments.push(conflictComment(name, winner, times.get(name)!, values[name]))
      details.push(`${nameOfField[name]}: ${winner === 'github' ? 'GitHub' : 'Worklore'} is newer`)
    }
    return [winners, comments, details]
  }

  const step = async (): Promise<boolean> => {
    const values = await readValues()
    const link = linkOf(task)
    if (isClaimed(task)) {
      const claimed = planOf(issue, task, values, link.base, { direction, refused, winners: new Map() }).toTask
      if (claimed.status !== undefined || claimed.assigneeId !== undefined)
        refuse(`${task.id} is claimed: its status and assignee wait for the end of the claim`, 'state', 'assignee')
    }
    let plan = planOf(issue, task, values, link.base, { direction, refused, winners: new Map() })
    for (const name of plan.held)
      refuse(`The ${nameOfField[name]} was changed where it is shortened: change it where it is whole`)
    let comments: string[] = []
    let conflicts: string[] = []
    if (plan.conflicts.length > 0) {
      const [winners, said, details] = await resolve(plan, values)
      comments = said
      conflicts = details
      plan = planOf(issue, task, values, link.base, { direction, refused, winners })
    }
    const hasChanges = Object.keys(plan.toTask).length > 0
    const isLinked = link.number === issue.number && task.externalId === externalIdOf(repo, issue.number)
    const reportInward = (): void => {
      const subject = { issue: issue.number, task: task.id }
      for (const detail of conflicts) report.did({ action: 'conflict', ...subject, detail })
      if (hasChanges) report.did({ action: 'task.updated', ...subject, detail: namesOf(plan.toTask) })
    }
    if (isDryRun) {
      reportInward()
      for (const detail of goesOut(context) ? conflicts : [])
        report.did({ action: 'comment.sent', issue: issue.number, task: task.id, detail })
      if (Object.keys(plan.toIssue).length > 0)
        report.did({ action: 'issue.updated', issue: issue.number, task: task.id, detail: namesOf(plan.toIssue) })
      return true
    }
    if (hasChanges || comments.length > 0 || plan.isBaseChanged || !isLinked) {
      const { creating: _, deleted: __, ...rest } = linkTo(issue, repo, link)
      const changes: UpdateTaskBody = {
        ...plan.toTask,
        metadata: { github: { ...rest, base: plan.base } },
        ...(!isLinked && { externalId: externalIdOf(repo, issue.number) }),
      }
      task = await writeTask(context, task, changes, comments)
      reportInward()
    }
    if (plan.outward.length === 0 && plan.toIssue.labels === undefined) return true

    if (Object.keys(plan.toIssue).length > 0) {
      // GitHub has no conditional writes: what was listed may be old by now.
      const now = await github.issue(issue.number)
      if (contentOf(now) !== contentOf(issue)) {
        issue = now
        return false
      }
      issue = await github.updateIssue(issue.number, plan.toIssue)
      report.did({ action: 'issue.updated', issue: issue.number, task: task.id, detail: namesOf(plan.toIssue) })
    }
    const base = settledBase(plan, issue, task, await readValues())
    task = await writeTask(context, task, { metadata: { github: { ...linkOf(task), base } } })
    return true
  }

  for (let attempts = 1; attempts <= maxAttempts; attempts++) {
    try {
      if (await step()) return { task, issue, isPending }
    } catch (error) {
      if (error instanceof PreconditionFailedError && error.currentVersion !== null) {
        task = await wl.tasks.get(task.id)
      } else if (error instanceof ConflictError && error.reason === 'checks') {
        refuse(error.message, 'state')
      } else if (error instanceof ConflictError && error.reason === 'claimed') {
        refuse(error.message, 'state', 'assignee')
      } else if (isRecordRefusal(error) || isRefusal(error)) {
        report.refused({ issue: issue.number, task: task.id, reason: error.message })
        return { task, issue, isPending: true }
      } else {
        throw error
      }
    }
  }
  report.refused({ issue: issue.number, task: task.id, reason: 'It keeps changing; left for the next run' })
  return { task, issue, isPending: true }
}
