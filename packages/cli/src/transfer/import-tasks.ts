import {
  type ApiError,
  ConflictError,
  type CreateTaskBody,
  type Project,
  type Task,
  type UpdateTaskBody,
} from 'worklore-client'
import type { BulkUnit } from 'worklore-client/bulk'
import { isOpen } from '../choices.js'
import { hasMention, type Links, missingLink, rewriteMentions, withoutCycle } from './links.js'
import type { Source, SourceCheck, SourceComment, SourceTask } from './records.js'
import { rehearseLinks } from './rehearse-links.js'
import { labelsOf } from './values.js'

/** A task of an earlier run, or of the one that was interrupted. */
export interface ExistingTask {
  id: string
  version: number
  /** How many comments were written so far; undefined where the task is complete. */
  pending: number | undefined
}

/** What an import needs to know of the server. */
export interface TaskTarget {
  projectIdOf(task: SourceTask): string
  userIdOf(name: string): string | undefined
  /** What the project adds to each new task that is open. */
  defaultChecksOf(projectId: string): readonly SourceCheck[]
  existing: ReadonlyMap<string, ExistingTask>
  /** Null for the built-in ones. */
  statusesOf(projectId: string): Project['statuses']
}

/** What happened, for the report. */
interface TaskReport {
  created: number
  /** Of those created, how many were in progress. */
  reopened: number
  completed: number
  existing: number
  /** Links to tasks that are not there, or that would make tasks wait for each other. */
  droppedLinks: string[]
}

/** Marks a task whose links and comments are still to come, and says how many comments are there already. */
const pendingField = 'importPending'
/** Nobody is to take a task before it is known what it waits for. */
const holdMs = 86_400_000
/** Whoever worked on it does not work on it here: it is there to be claimed, and says so. */
const reopenedLabel = 'was-in-progress'
/** Small enough for the strictest plan's requests a minute. */
const commentsAtOnce = 19

const isInProgress = ({ category }: SourceTask): boolean => category === 'in_progress'

const originOf = (format: string, task: SourceTask, isAssigned: boolean): object => {
  const { id, origin, assignee, status } = task
  return {
    from: format,
    id,
    ...(isInProgress(task) && { status }),
    ...origin,
    ...(assignee !== undefined && !isAssigned && { assignee }),
  }
}

const commentText = ({ author, at, text }: SourceComment, ids: ReadonlyMap<string, string>): string => {
  const head = [author, at].filter(Boolean).join(', ')
  return `${head ? `*${head}*\n\n` : ''}${rewriteMentions(text, ids)}` || '–'
}

/** The checks that a new task would not have by itself. */
const missingChecks = ({ checks = [], category }: SourceTask, defaults: readonly SourceCheck[]): SourceCheck[] => {
  const isSame = (one: SourceCheck, other: SourceCheck): boolean =>
    one.text === other.text && (one.verifier ?? 'anyone') === (other.verifier ?? 'anyone')
  return isOpen(category) ? checks.filter((check) => !defaults.some((each) => isSame(each, check))) : checks
}

export const existingTask = ({ id, version, metadata }: Task): ExistingTask => {
  const pending = metadata[pendingField]
  return { id, version, pending: typeof pending === 'number' ? pending : undefined }
}

/**
 * Tasks are created first, all of them, and get their links, comments and the ids in their texts when every new id is
 * known. A task that waits for that second step says so in its metadata, so that any run can go on where another
 * stopped, and is held back from those who look for work.
 */
export const createTaskImport = (
  source: Source,
  target: TaskTarget,
  onBad: (task: SourceTask, error: ApiError) => void,
) => {
  const { tasks, format } = source
  const oldIds = new Set(tasks.flatMap(({ id, aliases = [] }) => [id, ...aliases]))
  const parents = new Set(tasks.flatMap(({ parentId }) => parentId ?? []))
  const newIds = new Map<string, string>()
  const pending = new Map<SourceTask, ExistingTask>()
  /** Tasks that a request of an interrupted import, or another import, created or changed meanwhile. */
  const changedMeanwhile = new Set<SourceTask>()
  const report: TaskReport = { created: 0, reopened: 0, completed: 0, existing: 0, droppedLinks: [] }

  const learn = ({ id, aliases = [] }: SourceTask, newId: string): void => {
    for (const each of [id, ...aliases]) newIds.set(each, newId)
  }

  const hasSecondStep = (task: SourceTask): boolean =>
    task.blockedBy.length > 0 ||
    task.parentId !== undefined ||
    task.comments.length > 0 ||
    parents.has(task.id) ||
    hasMention(`${task.title}\n${task.description}`, oldIds)

  const creation = (task: SourceTask): CreateTaskBody => {
    const assigneeId = task.assignee && target.userIdOf(task.assignee)
    const isHeld = hasSecondStep(task)
    const projectId = target.projectIdOf(task)
    return {
      ...task.fields,
      projectId,
      checks: missingChecks(task, target.defaultChecksOf(projectId)),
      title: task.title,
      description: task.description,
      status: isInProgress(task) ? 'todo' : task.status,
      priority: task.priority,
      labels: labelsOf(isInProgress(task) ? [reopenedLabel, ...task.labels] : task.labels),
      externalId: task.id,
      assigneeId,
      dueDate: task.dueDate,
      notBefore: isHeld ? new Date(Date.now() + holdMs).toISOString() : task.notBefore,
      metadata: {
        ...task.metadata,
        imported: originOf(format, task, assigneeId !== undefined),
        ...(isHeld && { [pendingField]: 0 }),
      },
    }
  }

  const creationUnit = (task: SourceTask): BulkUnit => ({
    operations: [{ method: 'POST', path: '/v1/tasks', body: creation(task) }],
    onDone: ([result]) => {
      report.created++
      if (isInProgress(task)) report.reopened++
      const created = existingTask((result!.body as { data: Task }).data)
      learn(task, created.id)
      if (created.pending !== undefined) pending.set(task, created)
    },
    onRefusal: (error) => {
      if (error instanceof ConflictError && error.existing !== undefined) {
        learn(task, error.existing)
        changedMeanwhile.add(task)
        return undefined
      }
      onBad(task, error)
      return undefined
    },
  })

  const linksOf = (task: SourceTask): Links => {
    const linked = (old: string): string[] => {
      const id = newIds.get(old)
      if (id === undefined) report.droppedLinks.push(missingLink(task.id, old))
      return id === undefined ? [] : [id]
    }
    const [parentId = null] = task.parentId === undefined ? [] : linked(task.parentId)
    return { blockedBy: [...new Set(task.blockedBy.flatMap(linked))], parentId }
  }

  const completion = (task: SourceTask, links: Links): UpdateTaskBody => ({
    ...links,
    title: rewriteMentions(task.title, newIds).slice(0, 500),
    description: rewriteMentions(task.description, newIds),
    notBefore: task.notBefore ?? null,
  })

  const completionUnit = (task: SourceTask, version: number, written: number, links: Links): BulkUnit => {
    const path = `/v1/tasks/${newIds.get(task.id)!}`
    const comments = task.comments.slice(written, written + commentsAtOnce)
    const next = written + comments.length
    const isLast = next === task.comments.length
    // The links come with the last comments: until then the task is held back.
    const body = { ...(isLast && completion(task, links)), metadata: { [pendingField]: isLast ? null : next } }
    return {
      operations: [
        // What another request wrote meanwhile is not written again.
        { method: 'PATCH', path, body, headers: { 'If-Match': `"${version}"` } },
        ...comments.map((comment) => ({
          method: 'POST' as const,
          ...(comment.question
            ? { path: `${path}/questions`, body: { body: rewriteMentions(comment.text, newIds), ...comment.question } }
            : { path: `${path}/comments`, body: { body: commentText(comment, newIds) } }),
        })),
      ],
      onDone: () => {
        if (isLast) report.completed++
      },
      onRefusal: (error) => {
        if (error.status === 412) {
          changedMeanwhile.add(task)
          return undefined
        }
        const hasLinks = links.blockedBy.length > 0 || links.parentId !== null
        if (!(error instanceof ConflictError) || !hasLinks) {
          onBad(task, error)
          return undefined
        }
        report.droppedLinks.push(`${task.id}: ${error.message}`)
        return completionUnit(task, version, written, withoutCycle(links, new Set(error.cycle)))
      },
    }
  }

  const missing = tasks.filter(({ id }) => !target.existing.has(id))

  function* creations(): Generator<BulkUnit> {
    for (const task of missing) yield creationUnit(task)
  }

  /** The last first: what a task waits for mostly comes before it, and tasks without links are quick to wait for. */
  function* completions(): Generator<BulkUnit> {
    const tasks = [...pending].reverse()
    pending.clear()
    for (const [task, { version, pending: from = 0 }] of tasks) {
      const links = linksOf(task)
      for (let written = from, at = version; ; written += commentsAtOnce) {
        yield completionUnit(task, at++, written, links)
        if (written + commentsAtOnce >= task.comments.length) break
      }
    }
  }

  const take = (task: SourceTask, existing: ExistingTask): void => {
    if (existing.pending === undefined) report.existing++
    else pending.set(task, existing)
  }

  /** Looks again at tasks that were changed meanwhile; answers how many wait for completion. */
  const takeChanged = async (find: (id: string) => Promise<Task | undefined>): Promise<number> => {
    for (const task of changedMeanwhile) {
      const found = await find(newIds.get(task.id)!)
      if (found) take(task, existingTask(found))
    }
    changedMeanwhile.clear()
    return pending.size
  }

  for (const task of tasks) {
    const existing = target.existing.get(task.id)
    if (!existing) continue
    learn(task, existing.id)
    take(task, existing)
  }

  /** The links that an import would leave out; nothing is sent. */
  const linksToDrop = (): string[] => {
    const idOf = new Map(tasks.flatMap(({ id, aliases = [] }) => [id, ...aliases].map((name) => [name, id] as const)))
    return rehearseLinks([...missing, ...pending.keys()].reverse(), idOf)
  }

  return {
    report,
    linksToDrop,
    toCreate: missing.length,
    toReopen: missing.filter(isInProgress).length,
    /** Of an interrupted import. */
    toComplete: pending.size,
    creations,
    takeChanged,
    completions,
  }
}
