import type { Task, UpdateTaskBody } from 'worklore-client'
import type { Issue, IssuePatch } from '../github/records.js'
import type { FieldBase, Side } from './link.js'
import { taskOfIssueBody, withIssueMarker, withoutIssueMarker } from './markers.js'
import type { People } from './people.js'
import { canonical, digest, withinBytes, withinCharacters } from './text.js'

/** Of a field of an issue and a task: what each side has, and what to write to make the other side have the same. */
export interface FieldValues {
  there: string
  here: string
  isSame: boolean
  toTask: UpdateTaskBody
  toIssue: IssuePatch
  /** What the task has once `toTask` is written. */
  hereAfter: string
  /** The task gets, or has, only the start of what the issue has; and the other way round. */
  isCutHere: boolean
  isCutThere: boolean
  /** The side that has only the start, where both count as the same. */
  sameCut: Side | undefined
  /** The whole value, for whoever must be told that it was replaced. */
  thereText: string
  hereText: string
}

export type FieldName = 'title' | 'body' | 'state' | 'assignee'

export const fieldNames: readonly FieldName[] = ['title', 'body', 'state', 'assignee']

const maxTitleHere = 500
const maxTitleThere = 256
const maxBytesHere = 64 * 1_024
/** GitHub takes 65,536 characters, of which the marker needs a few. */
const maxBodyThere = 65_000

export const titleForTask = (title: string): string => withinCharacters(title.trim(), maxTitleHere) || '(no title)'
export const titleForIssue = (title: string): string => withinCharacters(title, maxTitleThere)
export const descriptionOf = (body: string | null): string => withinBytes(withoutIssueMarker(body), maxBytesHere)
export const bodyForIssue = (description: string): string => withinCharacters(description, maxBodyThere)

const isBodyCutHere = (body: string): boolean => Buffer.byteLength(body) > maxBytesHere
const isBodyCutThere = (description: string): boolean => description.length > maxBodyThere
const isTitleCutThere = (title: string): boolean => title.length > maxTitleThere

export const baseOf = (there: string, here: string, cut?: Side): FieldBase =>
  cut ? [digest(there), digest(here), cut] : [digest(there), digest(here)]

/** Of an issue and the task that was created for it. */
export const basesOfNewTask = (issue: Issue, task: Pick<Task, 'title' | 'description'>) => {
  const body = withoutIssueMarker(issue.body)
  return {
    title: baseOf(issue.title, task.title),
    body: baseOf(body, task.description, isBodyCutHere(body) ? 'worklore' : undefined),
  }
}

/** Of a task and the issue that was created for it. */
export const basesOfNewIssue = (issue: Issue, { title, description }: Pick<Task, 'title' | 'description'>) => ({
  title: baseOf(issue.title, title, isTitleCutThere(title) ? 'github' : undefined),
  body: baseOf(withoutIssueMarker(issue.body), description, isBodyCutThere(description) ? 'github' : undefined),
})

const uncut = { isCutHere: false, isCutThere: false, sameCut: undefined }

export type State = 'open' | 'completed' | 'not_planned'

export const stateOfIssue = ({ state, state_reason }: Pick<Issue, 'state' | 'state_reason'>): State => {
  if (state !== 'closed') return 'open'
  return state_reason === 'not_planned' || state_reason === 'duplicate' ? 'not_planned' : 'completed'
}

export const stateOfTask = ({ statusCategory }: Pick<Task, 'statusCategory'>): State =>
  statusCategory === 'done' ? 'completed' : statusCategory === 'cancelled' ? 'not_planned' : 'open'

export const statusFor: Record<State, Task['statusCategory']> = {
  open: 'todo',
  completed: 'done',
  not_planned: 'cancelled',
}

const issueStateFor: Record<State, IssuePatch> = {
  open: { state: 'open' },
  completed: { state: 'closed', state_reason: 'completed' },
  not_planned: { state: 'closed', state_reason: 'not_planned' },
}

const titleValues = (issue: Issue, task: Task): FieldValues => {
  const wanted = titleForTask(issue.title)
  return {
    there: issue.title,
    here: task.title,
    isSame: wanted === task.title || canonical(issue.title) === canonical(titleForIssue(task.title)),
    toTask: { title: wanted },
    toIssue: { title: titleForIssue(task.title) },
    hereAfter: wanted,
    isCutHere: false,
    isCutThere: isTitleCutThere(task.title),
    sameCut: isTitleCutThere(task.title) && wanted !== task.title ? 'github' : undefined,
    thereText: issue.title,
    hereText: task.title,
  }
}

const bodyValues = (issue: Issue, task: Task): FieldValues => {
  const there = withoutIssueMarker(issue.body)
  const wanted = descriptionOf(issue.body)
  const marked = taskOfIssueBody(issue.body)
  const sent = bodyForIssue(task.description)
  const isCutHere = isBodyCutHere(there)
  const isCutThere = isBodyCutThere(task.description)
  const isCopyHere = canonical(wanted) === canonical(task.description)
  const isCopyThere = canonical(there) === canonical(sent)
  const cutSide = isCopyHere && isCutHere ? 'worklore' : isCutThere ? 'github' : undefined
  return {
    there,
    here: task.description,
    isSame: isCopyHere || isCopyThere,
    isCutHere,
    isCutThere,
    sameCut: canonical(there) === canonical(task.description) ? undefined : cutSide,
    toTask: { description: wanted },
    toIssue: { body: marked ? withIssueMarker(sent, marked) : sent },
    hereAfter: wanted,
    thereText: there,
    hereText: task.description,
  }
}

const stateValues = (issue: Issue, task: Task): FieldValues => {
  const there = stateOfIssue(issue)
  const here = stateOfTask(task)
  return {
    there,
    here,
    isSame: there === here,
    toTask: { status: statusFor[there] },
    toIssue: issueStateFor[here],
    hereAfter: there,
    ...uncut,
    thereText: there,
    hereText: task.status,
  }
}

/** Accounts as they are compared: in any order and spelling. */
export const accountsText = (logins: readonly string[]): string =>
  logins
    .map((login) => login.toLowerCase())
    .sort()
    .join(',')

export const assigneeHere = ({ assignee }: Task, login: string | undefined): string =>
  assignee === null ? '' : (login?.toLowerCase() ?? `(${assignee.id})`)

/** `login` is the account of the task's assignee, where issues can be assigned to it. */
const assigneeValues = (issue: Issue, task: Task, login: string | undefined, people: People): FieldValues => {
  const known = issue.assignees.map((account) => account.login).filter((each) => people.userOf(each))
  const others = issue.assignees.map((account) => account.login).filter((each) => !people.userOf(each))
  const there = accountsText(known)
  const here = assigneeHere(task, login)
  const first = known[0] === undefined ? undefined : people.userOf(known[0])!
  // Someone without an account there is shown on this side only.
  const isUnknownThere = task.assignee !== null && login === undefined
  return {
    there,
    here,
    isSame: here === '' ? there === '' : there.split(',').includes(here),
    toTask: { assigneeId: first?.id ?? null },
    toIssue: isUnknownThere ? {} : { assignees: [...others, ...(login ? [login] : [])] },
    hereAfter: known[0]?.toLowerCase() ?? '',
    ...uncut,
    thereText: known.join(', ') || 'nobody',
    hereText: task.assignee?.name ?? 'nobody',
  }
}

export const valuesOf = (
  issue: Issue,
  task: Task,
  login: string | undefined,
  people: People,
): Record<FieldName, FieldValues> => ({
  title: titleValues(issue, task),
  body: bodyValues(issue, task),
  state: stateValues(issue, task),
  assignee: assigneeValues(issue, task, login, people),
})
