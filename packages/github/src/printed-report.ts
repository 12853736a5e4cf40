import { oneLine } from '#command-line'
import type { Action, Refusal, Report } from './sync/report.js'

export interface Counts {
  /** How often each action was taken. */
  actions: Partial<Record<Action['action'], number>>
  refused: number
  /** Records that are tried again in the next run. */
  outstanding: number
}

export interface PrintedReport extends Report {
  counts(): Counts
  left(outstanding: number): void
  /** Says something beside the actions. */
  note(line: string): void
}

interface ReportOptions {
  isJson: boolean
  isQuiet: boolean
  isDryRun: boolean
  out: NodeJS.WritableStream
  err: NodeJS.WritableStream & { isTTY?: boolean }
}

const minMsBetween = 100
const maxRemembered = 10_000

const placeOf = ({ issue, task }: Pick<Action, 'issue' | 'task'>): string =>
  [issue === undefined ? '' : `#${issue}`, task ?? ''].filter(Boolean).join(' ')

/** Prints what is done as it is done: lines of text or JSON on standard output, the rest on standard error. */
export const createReport = ({ isJson, isQuiet, isDryRun, out, err }: ReportOptions): PrintedReport => {
  const actions: Counts['actions'] = {}
  let refused = 0
  let outstanding = 0
  /** What is tried again and refused again is said once. */
  const refusals = new Set<string>()
  let isChanged = false
  let shownAtMs = 0
  const clear = (): void => {
    if (err.isTTY && shownAtMs > 0) err.write('\r\u001b[K')
  }
  const line = (stream: NodeJS.WritableStream, text: string): void => {
    clear()
    stream.write(`${text}\n`)
  }
  return {
    did: (action) => {
      actions[action.action] = (actions[action.action] ?? 0) + 1
      isChanged = true
      if (isJson) line(out, JSON.stringify({ ...action, ...(isDryRun && { dryRun: true }) }))
      else if (!isQuiet)
        line(
          out,
          oneLine([isDryRun ? 'would:' : '', action.action, placeOf(action), action.detail].filter(Boolean).join(' ')),
        )
    },
    refused: (refusal: Refusal) => {
      const said = JSON.stringify(refusal)
      if (refusals.has(said)) return
      if (refusals.size < maxRemembered) refusals.add(said)
      refused++
      if (isJson) line(out, JSON.stringify({ action: 'refused', ...refusal }))
      else line(err, oneLine(`refused: ${[placeOf(refusal), refusal.reason].filter(Boolean).join(': ')}`))
    },
    progress: (what, done) => {
      if (!err.isTTY || isJson || Date.now() - shownAtMs < minMsBetween) return
      clear()
      shownAtMs = Date.now()
      err.write(oneLine(done > 0 ? `${done} ${what}` : what))
    },
    note: (text) => line(err, oneLine(text)),
    takeChanged: () => {
      const was = isChanged
      isChanged = false
      return was
    },
    counts: () => ({ actions, refused, outstanding }),
    left: (count) => {
      outstanding = count
    },
  }
}

/** What is counted, and what was done to it. */
const words: Record<Action['action'], [noun: string, done: string]> = {
  'task.created': ['task', 'created'],
  'task.updated': ['task', 'updated'],
  'task.deleted': ['task', 'deleted'],
  'task.linked': ['task', 'linked'],
  'issue.created': ['issue', 'created'],
  'issue.updated': ['issue', 'updated'],
  'issue.closed': ['issue', 'closed'],
  'issue.gone': ['issue', 'gone from the repository'],
  'issue.left': ['issue', 'left alone after deletion of the task'],
  'comment.copied': ['comment', 'copied from GitHub'],
  'comment.sent': ['comment', 'sent to GitHub'],
  'comment.updated': ['comment', 'updated'],
  'comment.deleted': ['comment', 'deleted'],
  'pull.linked': ['pull request', 'noted'],
  'pull.unlinked': ['pull request', 'no longer noted'],
  conflict: ['conflict', 'resolved'],
}

export const summaryOf = (
  { actions, refused, outstanding }: Counts,
  isDryRun: boolean,
  isInterrupted: boolean,
): string => {
  const parts = Object.entries(actions).map(([action, count]) => {
    const [noun, done] = words[action as Action['action']]
    return `${count} ${noun}${count === 1 ? '' : 's'} ${done}`
  })
  if (refused > 0) parts.push(`${refused} refused`)
  if (outstanding > 0) parts.push(`${outstanding} left for the next run`)
  if (parts.length === 0)
    return isInterrupted
      ? 'Interrupted: nothing was done, and whether both sides are in step is not known.'
      : 'Nothing to do: both sides are in step.'
  return `${isInterrupted ? 'Interrupted. ' : ''}${isDryRun ? 'Would do: ' : ''}${parts.join(', ')}.`
}
