import type { Comment, Task } from 'worklore-client'
import type { IssueComment } from '../github/records.js'
import {
  attempted,
  type CommentTarget,
  commentsOf,
  copiesOf,
  copyThere,
  isGoneHere,
  isUnchanged,
  sentBody,
  syncTexts,
} from './comment-pairs.js'
import type { SyncContext } from './context.js'
import { linkOf, withSent } from './link.js'
import { copyFromGitHub, copyFromWorklore } from './markers.js'
import { writeTask } from './pair.js'

/** What happened to the comments of a task since the last run. */
export interface CommentChanges {
  /** Created or changed. */
  touched: Set<string>
  created: Set<string>
  /** The last state of those that were deleted. */
  deleted: Comment[]
  /** Every comment of the task is sent: the link is new. */
  isBackfill: boolean
}

export const noCommentChanges = (): CommentChanges => ({
  touched: new Set(),
  created: new Set(),
  deleted: [],
  isBackfill: false,
})

/** Whether a task has comments that are not copies, or changed ones. */
export const hasOwnComments = async (context: SyncContext, task: Task): Promise<boolean> => {
  const ours = await commentsOf(context, task)
  const { byId } = copiesOf(ours, context.writers)
  return ours.some(({ id }) => {
    const copy = byId.get(id)
    return copy === undefined || !isUnchanged(copy.text, copy)
  })
}

/** Where two runs at once copied a comment, the later copy goes. */
const removeDuplicates = async (
  context: SyncContext,
  target: CommentTarget,
  there: readonly IssueComment[],
): Promise<IssueComment[]> => {
  const seen = new Map<string, string>()
  const kept: IssueComment[] = []
  for (const comment of there) {
    const copy = copyFromWorklore(comment, context.writers)
    if (copy && seen.get(copy.id) === comment.body) {
      await attempted(context, target, () => context.github.deleteComment(comment.id))
    } else {
      if (copy && !seen.has(copy.id)) seen.set(copy.id, comment.body)
      kept.push(comment)
    }
  }
  return kept
}

/** Sends comments of a task to GitHub, and what was changed or deleted of them. */
export const copyOutward = async (
  context: SyncContext,
  target: CommentTarget,
  { touched, created, deleted, isBackfill }: CommentChanges,
  listed?: readonly IssueComment[],
): Promise<{ task: Task; isDone: boolean }> => {
  const { wl, github, report, isDryRun, withDeletions, writers } = context
  const { number } = target
  let { task } = target
  const all = listed ?? (await github.comments(number))
  const there = isDryRun ? all : await removeDuplicates(context, target, all)
  const copies = new Map<string, IssueComment>()
  for (const comment of there) {
    const copy = copyThere(context, task, comment)
    if (copy && !copies.has(copy.id)) copies.set(copy.id, comment)
  }
  const originals = new Map(there.map((comment) => [String(comment.id), comment]))
  const sent: Record<string, number> = {}
  let isDone = true
  const did = (action: 'comment.sent' | 'comment.deleted', detail: string): void =>
    report.did({ action, issue: number, task: task.id, detail })

  const ours = await commentsOf(context, task)
  const copiesHere = copiesOf(ours, writers)
  for (const comment of withDeletions ? deleted : []) {
    const copy = copyFromGitHub(comment, writers)
    // A second copy was deleted, or it was restored.
    if (copy && copiesHere.byOriginal.has(copy.id)) continue
    const other = copy ? originals.get(copy.id) : copies.get(comment.id)
    if (!other) continue
    const step = async (): Promise<void> => {
      if (!(await isGoneHere(wl.tasks.comments(task.id).get(comment.id)))) return
      if (!isDryRun) await github.deleteComment(other.id)
      did('comment.deleted', other.html_url)
    }
    isDone = (await attempted(context, target, step)) && isDone
  }

  const people = await context.people()
  for (const here of ours) {
    if (!isBackfill && !touched.has(here.id)) continue
    const copy = copiesHere.byId.get(here.id)
    const other = copy ? originals.get(copy.id) : copies.get(here.id)
    const step = async (): Promise<void> => {
      if (other) {
        if (!copy) sent[here.id] = other.id
        const known = copy ?? copyThere(context, task, other)!
        await syncTexts(context, target, { there: other, here, copy: known, isCopyHere: copy !== undefined })
      } else if (!copy && (created.has(here.id) || (isBackfill && linkOf(task).sent?.[here.id] === undefined))) {
        const author = people.nameOf(here.createdBy.userId) ?? here.createdBy.keyName
        if (!isDryRun) sent[here.id] = (await github.createComment(number, sentBody(here, author))).id
        did('comment.sent', here.id)
      }
    }
    isDone = (await attempted(context, target, step)) && isDone
  }
  const link = linkOf(task)
  const isNoted = Object.entries(sent).every(([id, copyId]) => link.sent?.[id] === copyId)
  if (!isDryRun && (!isNoted || (link.backfill && isDone))) {
    const { backfill: _, ...rest } = link
    const noted = isNoted ? rest : withSent(rest, sent)
    task = await writeTask(context, task, {
      metadata: { github: isDone ? noted : { ...noted, backfill: link.backfill } },
    })
  }
  return { task, isDone }
}
