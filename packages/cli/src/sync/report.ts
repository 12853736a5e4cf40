import type { Answer, Cli } from '../command.js'
import { exitConflict, exitDone, exitFailed } from '../exit-codes.js'
import type { Progress } from '../terminal/progress.js'
import { oneLine, printable, safeJson } from '../terminal/screen.js'
import type { SyncTarget } from './state.js'
import { targetName } from './target.js'

/** What a sync did with a file, or would do. */
export interface Report {
  /**
   * `kept`: deleted on one side, changed on the other, or its file may have a name now that is not synced. `conflict`:
   * changed on both sides. `note`: something to know about a file that is in sync.
   */
  action: 'uploaded' | 'downloaded' | 'moved' | 'deleted' | 'kept' | 'conflict' | 'skipped' | 'note'
  path: string
  /** Which side was changed; undefined where neither was. */
  side?: 'folder' | 'service'
  /** Why, or from where. */
  about?: string
}

type Action = Report['action']

const counted: readonly Action[] = ['uploaded', 'downloaded', 'moved', 'deleted', 'kept', 'skipped']

const lineOf = ({ action, path, side, about }: Report, isDry: boolean): string => {
  const where = side === 'service' ? 'on the service' : 'in the folder'
  const would = isDry ? 'would be ' : ''
  switch (action) {
    case 'moved':
      return `${would}moved ${where}: ${about} → ${path}`
    case 'deleted':
      return `${would}deleted ${where}: ${path}`
    case 'kept':
      return `${would}kept: ${path} (${about})`
    case 'conflict':
      return isDry
        ? `conflict: ${path} was changed on both sides; yours would be kept in ${about}`
        : `conflict: ${path} has the text of the service; yours is in ${about}, which is not synced`
    case 'skipped':
      return `skipped: ${path}: ${about}`
    case 'note':
      return `${path}: ${about}`
    default:
      return `${would}${action}: ${path}`
  }
}

const numberOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** Prints what is done and counts it. Everything is named only where `isVerbose`, what needs a look always. */
export const createReporter = (
  cli: Cli,
  progress: Progress,
  target: SyncTarget,
  isDry: boolean,
  isVerbose: boolean,
) => {
  let counts = new Map<Action, number>()
  let paths: string[] = []
  /** Notes that are on the service and not in the folder. */
  let apart = 0
  const said = new Set<string>()
  const countOf = (action: Action): number => counts.get(action) ?? 0

  const summaryOf = (notes: number, conflictFiles: readonly string[]): string => {
    const done = counted.filter((action) => countOf(action) > 0).map((action) => `${countOf(action)} ${action}`)
    if (countOf('conflict') > 0) done.push(numberOf(countOf('conflict'), 'conflict'))
    const where = targetName(target)
    const end = isDry
      ? `dry run with ${where}, nothing was changed`
      : `${numberOf(notes, 'note')} in sync with ${where}`
    const left =
      conflictFiles.length > 0 ? ` Look at ${numberOf(conflictFiles.length, 'conflict file')} in the folder.` : ''
    return `${done.length === 0 ? 'Nothing new' : done.join(', ')}; ${end}.${left}`
  }

  return {
    report: (report: Report): void => {
      const { action, path, side, about } = report
      // Said in every pass.
      const isState = action === 'skipped' || (action === 'kept' && !side)
      const line = `${path}\n${about}`
      if (isState && said.has(line)) return
      if (isState) said.add(line)
      counts.set(action, countOf(action) + 1)
      if (side) paths.push(path)
      else if (action === 'kept') apart++
      if (cli.isJson) process.stdout.write(`${safeJson(JSON.stringify({ action, path, side, about }))}\n`)
      else if (cli.isText && (isVerbose || !side || action === 'kept')) {
        progress.end()
        cli.print(oneLine(lineOf(report, isDry)))
      }
    },
    get hasNews() {
      return counts.size > 0
    },
    /** What was done since the last summary. */
    summary: (notes: number, conflictFiles: readonly string[]): Answer => {
      const text = printable(summaryOf(notes, conflictFiles))
      const isApart = apart + countOf('conflict') > 0
      const exitCode = isApart ? exitConflict : countOf('skipped') > 0 ? exitFailed : exitDone
      const all = Object.fromEntries([...counted, 'conflict' as const].map((action) => [action, countOf(action)]))
      const ids = paths
      counts = new Map()
      paths = []
      apart = 0
      progress.end()
      if (cli.isJson) {
        const { projectId, prefix } = target
        const line = JSON.stringify({ summary: { ...all, notes, projectId, prefix, conflictFiles, dryRun: isDry } })
        process.stdout.write(`${safeJson(line)}\n`)
      }
      return { body: undefined, ids, text: () => text, exitCode }
    },
  }
}
