import { type Comment, NotFoundError, PreconditionFailedError, type Task } from 'worklore-client'
import { isGone, isRefusal } from '../github/client.js'
import type { IssueComment } from '../github/records.js'
import { quoted } from './conflicts.js'
import { goesIn, goesOut, type SyncContext } from './context.js'
import { reportFailure } from './failures.js'
import { linkOf } from './link.js'
import {
  bodyFromGitHub,
  bodyFromWorklore,
  type Copy,
  copyFromGitHub,
  copyFromWorklore,
  type Shown,
  type Writers,
  withText,
} from './markers.js'
import { isRecordRefusal } from './pair.js'
import { canonical, digest, withinBytes, withinCharacters } from './text.js'

/** Of the 64 KiB that a comment may have, what its heading and marker leave. */
const maxTextBytes = 63 * 1_024
/** GitHub takes 65,536 characters. */
const maxTextThere = 65_000

/** Someone changed a copy that has only the start of the original, which it must not replace. */
class CutCopyError extends Error {}

export interface CommentTarget {
  number: number
  task: Task
}

export const commentsOf = async ({ wl }: SyncContext, { id, commentCount }: Task): Promise<Comment[]> => {
  if (commentCount === 0) return []
  const all: Comment[] = []
  for await (const comment of wl.tasks.comments(id).list({ limit: 100 })) all.push(comment)
  return all
}

/** Whether a record that is asked for was deleted. */
export const isGoneHere = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => false,
    (error) => {
      if (error instanceof NotFoundError) return true
      throw error
    },
  )

export const isUnchanged = (text: string, copy: Copy): boolean => digest(text) === copy.digest

/** A pair of an original and its copy, as both are now. */
interface CommentPair {
  there: IssueComment
  here: Comment
  copy: Copy
  isCopyHere: boolean
}

const shownHere = ({ body }: IssueComment): Shown => ({
  text: withinBytes(body, maxTextBytes),
  isCut: Buffer.byteLength(body) > maxTextBytes,
})

const shownThere = ({ body }: Comment): Shown => ({
  text: withinCharacters(body, maxTextThere),
  isCut: body.length > maxTextThere,
})

export const copiedBody = (comment: IssueComment): string => bodyFromGitHub(comment, shownHere(comment))

export const sentBody = (comment: Comment, author: string): string =>
  bodyFromWorklore(comment.id, author, shownThere(comment))

/** Brings the texts of an original and its copy in step. */
export const syncTexts = async (
  context: SyncContext,
  { number, task }: CommentTarget,
  pair: CommentPair,
): Promise<void> => {
  const { wl, github, report, isDryRun } = context
  const { there, here, copy, isCopyHere } = pair
  const shown = isCopyHere ? shownHere(there) : shownThere(here)
  const textThere = isCopyHere ? shown.text : copy.text
  const textHere = isCopyHere ? copy.text : shown.text
  const isSame = canonical(textThere) === canonical(textHere)
  const isChangedThere = !isUnchanged(textThere, copy)
  const isChangedHere = !isUnchanged(textHere, copy)
  if (!isChangedThere && !isChangedHere) return
  const isNewerThere = Date.parse(there.updated_at) + 999 >= Date.parse(here.updatedAt)
  const isInward = copy.isCut ? isCopyHere : isChangedThere && (!isChangedHere || isNewerThere)
  if (copy.isCut && !isSame && !(isCopyHere ? isChangedThere : isChangedHere))
    throw new CutCopyError(`A shortened copy of a comment was changed: change the original instead (${there.html_url})`)
  if (!isSame && !(isInward ? goesIn(context) : goesOut(context))) return
  const detail = there.html_url
  const did = (action: 'comment.updated' | 'comment.sent' | 'conflict'): void =>
    report.did({ action, issue: number, task: task.id, detail })
  const isConflict = !isSame && isChangedThere && isChangedHere
  if (isDryRun) {
    if (isConflict) did('conflict')
    if (isConflict && goesOut(context)) did('comment.sent')
    if (!isSame) did('comment.updated')
    return
  }
  const text = isInward ? textThere : textHere
  const loser = isInward ? textHere : textThere
  if (isConflict) {
    const side = isInward ? 'Worklore' : 'GitHub'
    const body = `A comment was changed on both sides since the last sync. The older change, on ${side}, was replaced:\n\n${quoted(loser)}`
    await wl.tasks.comments(task.id).create({ body }, { idempotencyKey: `wl-github ${there.id} ${digest(loser)}` })
    did('conflict')
  }
  const writeThere = (body: string): Promise<unknown> => github.updateComment(there.id, body)
  const writeHere = (body: string): Promise<unknown> =>
    wl.tasks.comments(task.id).update(here.id, { body }, { ifMatch: here })
  const isFromCopy = isInward !== isCopyHere
  const next = { text, isCut: !isSame && isFromCopy ? false : shown.isCut }
  // The copy is written last: its digest says that both have the text.
  if (isCopyHere) {
    if (!isSame && !isInward) await writeThere(text)
    await writeHere(withText(here.body, next))
  } else {
    if (!isSame && isInward) await writeHere(text)
    await writeThere(withText(there.body, next))
  }
  if (!isSame) did('comment.updated')
}

interface CopiesHere {
  /** The copies of comments of GitHub, by the id of the original. */
  byOriginal: Map<string, Comment>
  /** What a comment is a copy of, by its own id. */
  byId: Map<string, Copy>
}

/** Only the first comment with a marker is the copy: another one was pasted. */
export const copiesOf = (ours: readonly Comment[], writers: Writers): CopiesHere => {
  const copies: CopiesHere = { byOriginal: new Map(), byId: new Map() }
  for (const comment of ours) {
    const copy = copyFromGitHub(comment, writers)
    if (!copy || copies.byOriginal.has(copy.id)) continue
    copies.byOriginal.set(copy.id, comment)
    copies.byId.set(comment.id, copy)
  }
  return copies
}

/** What a comment of GitHub is a copy of, unless another one is noted as that copy. */
export const copyThere = ({ writers }: SyncContext, task: Task, comment: IssueComment): Copy | undefined => {
  const copy = copyFromWorklore(comment, writers)
  const known = copy && linkOf(task).sent?.[copy.id]
  return known === undefined || known === comment.id ? copy : undefined
}

/** Runs a step of one comment; a refusal is told and does not stop the others. */
export const attempted = async (
  context: SyncContext,
  { number, task }: CommentTarget,
  step: () => Promise<unknown>,
): Promise<boolean> => {
  try {
    await step()
    return true
  } catch (error) {
    // Changed meanwhile: the next round sees it as it is.
    if (error instanceof PreconditionFailedError) return false
    if (error instanceof NotFoundError || isGone(error)) return true
    const record = { issue: number, task: task.id }
    if (error instanceof CutCopyError || isRecordRefusal(error) || isRefusal(error))
      context.report.refused({ ...record, reason: error.message })
    else await reportFailure(context, record, error)
    return false
  }
}
