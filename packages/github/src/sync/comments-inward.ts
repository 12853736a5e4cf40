import type { Comment } from 'worklore-client'
import { type BulkUnit, sendUnits } from 'worklore-client/bulk'
import type { IssueComment } from '../github/records.js'
import {
  attempted,
  type CommentTarget,
  commentsOf,
  copiedBody,
  copiesOf,
  copyThere,
  syncTexts,
} from './comment-pairs.js'
import { goesIn, type SyncContext } from './context.js'
import { linkOf } from './link.js'
import { copyFromGitHub, copyFromWorklore } from './markers.js'

/** Copies a comment of GitHub to a task. */
const copyUnit = (
  { report }: SyncContext,
  { number, task }: CommentTarget,
  comment: IssueComment,
  onRefused: () => void,
): BulkUnit => ({
  operations: [{ method: 'POST', path: `/v1/tasks/${task.id}/comments`, body: { body: copiedBody(comment) } }],
  onDone: () => report.did({ action: 'comment.copied', issue: number, task: task.id, detail: comment.html_url }),
  onRefusal: (error) => {
    onRefused()
    report.refused({ issue: number, task: task.id, reason: error.message })
    return undefined
  },
})

/**
 * Copies comments of GitHub to the task, and what was changed of them. `isNew` tells for a comment without a copy whether
 * it is to get one: the copy of an old one was deleted. False where one side refused something.
 */
export const copyInward = async (
  context: SyncContext,
  target: CommentTarget,
  comments: readonly IssueComment[],
  isNew: (comment: IssueComment) => boolean,
): Promise<boolean> => {
  const { wl, report, isDryRun, writers } = context
  const { number, task } = target
  const ours = await commentsOf(context, task)
  const byId = new Map(ours.map((comment) => [comment.id, comment]))
  const copies = copiesOf(ours, writers)
  // Where two runs at once copied a comment, the later copy goes.
  for (const comment of isDryRun ? [] : ours) {
    const copy = copyFromGitHub(comment, writers)
    const first = copy && copies.byOriginal.get(copy.id)
    if (first && first !== comment && first.body === comment.body)
      await attempted(context, target, () => wl.tasks.comments(task.id).delete(comment.id, { ifMatch: comment }))
  }
  const units: BulkUnit[] = []
  let isDone = true
  for (const there of comments) {
    const original = copyThere(context, task, there)
    const here = original ? byId.get(original.id) : copies.byOriginal.get(String(there.id))
    if (here) {
      const copy = original ?? copies.byId.get(here.id)!
      const pair = { there, here, copy, isCopyHere: !original }
      isDone = (await attempted(context, target, () => syncTexts(context, target, pair))) && isDone
    } else if (!original && goesIn(context) && isNew(there)) {
      if (isDryRun) report.did({ action: 'comment.copied', issue: number, task: task.id, detail: there.html_url })
      else
        units.push(
          copyUnit(context, target, there, () => {
            isDone = false
          }),
        )
    }
  }
  await sendUnits(wl, units)
  return isDone
}

/** Copies comments to tasks that have none yet, many tasks in a batch. Gives the issues of those that were refused. */
export const copyToNewTasks = async (
  context: SyncContext,
  targets: Iterable<[CommentTarget, IssueComment]>,
): Promise<number[]> => {
  const refused: number[] = []
  const units = [...targets]
    .filter(([, comment]) => !copyFromWorklore(comment, context.writers))
    .map(([target, comment]) => copyUnit(context, target, comment, () => refused.push(target.number)))
  await sendUnits(context.wl, units)
  return refused
}

/** Tells of the comments that the task of an issue would get, where a dry run has not created it. */
export const announceCopies = (
  { report, writers }: SyncContext,
  number: number,
  comments: readonly IssueComment[],
): void => {
  for (const comment of comments)
    if (!copyFromWorklore(comment, writers))
      report.did({ action: 'comment.copied', issue: number, detail: comment.html_url })
}

/** Deletes from a task what was deleted on GitHub. */
export const deleteInward = async (context: SyncContext, target: CommentTarget): Promise<boolean> => {
  const { wl, github, report, isDryRun, settleMs, writers } = context
  const { number, task } = target
  const { sent = {} } = linkOf(task)
  const ours = await commentsOf(context, task)
  const copies = copiesOf(ours, writers).byId
  const idThere = ({ id }: Comment): number | undefined => (copies.has(id) ? Number(copies.get(id)!.id) : sent[id])
  if (!ours.some((comment) => idThere(comment) !== undefined)) return true
  const listed = new Set((await github.comments(number)).map(({ id }) => id))
  let isDone = true
  for (const comment of ours) {
    const id = idThere(comment)
    if (id === undefined || listed.has(id)) continue
    // GitHub may lag behind what was just sent.
    if (!copies.has(comment.id) && Date.parse(comment.createdAt) + settleMs > Date.now()) continue
    const step = async (): Promise<void> => {
      // A comment that is deleted while pages are read shifts another one past the reader.
      if (!(await github.isCommentGone(id))) return
      if (!isDryRun) await wl.tasks.comments(task.id).delete(comment.id, { ifMatch: comment })
      report.did({ action: 'comment.deleted', issue: number, task: task.id, detail: comment.id })
    }
    isDone = (await attempted(context, target, step)) && isDone
  }
  return isDone
}
