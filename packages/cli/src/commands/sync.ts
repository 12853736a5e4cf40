import { realpathSync, statSync } from 'node:fs'
import { NetworkError } from 'worklore-client'
import { command } from '../command.js'
import { CommandError, usageError } from '../exit-codes.js'
import { flag, text } from '../option.js'
import { lockFolder } from '../sync/lock.js'
import { createReporter } from '../sync/report.js'
import { createSession } from '../sync/session.js'
import { prepareStateFolder, readState, type SyncState } from '../sync/state.js'
import { findTarget } from '../sync/target.js'
import { watchBoth, whenBack } from '../sync/watch.js'
import { createProgress } from '../terminal/progress.js'
import { patientClient } from '../transfer/patient-client.js'

/** The first request of a run does not wait long for a server that is away. */
const maxFirstRetries = 2
/** Some ten seconds, as a restart takes. Another run goes on where this one ends. */
const maxRetries = 6

/** How often a run looks again at what was changed while it ran. */
const maxPasses = 5

const openFolder = (path: string): string => {
  if (!statSync(path).isDirectory()) throw new CommandError(`${path} is not a folder.`)
  return realpathSync(path)
}

export const sync = command({
  words: ['FOLDER'],
  more: `Brings a folder of Markdown files, such as an Obsidian vault, and notes to the same, both ways. The key of a note is
the path of its file without .md. Front matter sets the fields of the note, and shows them.

What was changed on one side is taken to the other. A file that was changed on both sides gets the text of the service, and
the text of the folder is kept beside it as NAME.conflict.md, which is not synced. What was deleted on one side is deleted
on the other unless it was changed there.

The first sync of a folder needs -p or --tenant, unless a project is set. The folder remembers its project, its prefix and
what was synced in .worklore/sync.json. The exit code is 5 after a conflict or while a note is kept whose file is gone, and
1 if something was skipped. With --json, one line for each change, then one with the counts.`,
  options: {
    project: text('PROJECT', 'The notes of that project', 'p'),
    tenant: flag('The notes of the whole tenant, even if a project is set'),
    prefix: text('KEY', 'The notes below this key'),
    watch: flag('Go on with what changes on either side, until interrupted', 'w'),
    'dry-run': flag('Only say what would happen'),
  },
  run: async (cli, values, [path]) => {
    const isDry = values['dry-run'] === true
    const isWatching = values.watch === true
    if (isDry && isWatching) throw usageError('--dry-run cannot be combined with --watch.')
    const root = openFolder(path!)
    const progress = createProgress()
    const wl = patientClient(cli, progress, isWatching ? 1 : maxRetries)
    const unlock = isDry ? () => {} : lockFolder(prepareStateFolder(root))
    process.once('exit', unlock)

    const stored = readState(root, progress.note)
    const find = () => findTarget(cli, patientClient(cli, progress, maxFirstRetries), values, stored?.target)
    const target = isWatching ? await whenBack(find, progress.note) : await find()
    const state: SyncState = stored ?? {
      target,
      position: null,
      listedAtMs: 0,
      notes: new Map(),
      unsynced: new Map(),
    }
    const reporter = createReporter(cli, progress, target, isDry, isDry || isWatching)
    const session = createSession({
      wl,
      root,
      state,
      isDry,
      isConfirmed: cli.isConfirmed,
      progress,
      report: reporter.report,
    })
    const stop = (code: number) => (): void => {
      session.save()
      progress.end()
      process.exit(code)
    }
    process.once('SIGINT', stop(130)).once('SIGTERM', stop(143))
    try {
      if (isWatching) {
        let isFirst = true
        await watchBoth(wl, root, state, session, {
          note: progress.note,
          onPass: ({ conflicts }) => {
            if (!isFirst && !reporter.hasNews) return
            isFirst = false
            const { ids, text: summary } = reporter.summary(state.notes.size, conflicts)
            if (cli.isText) cli.print(summary(cli.screen))
            else if (cli.isQuiet && ids.length > 0) cli.print(ids.join('\n'))
          },
        })
      }
      let result = await session.run()
      for (let pass = 1; result.isRepeated && pass < maxPasses && !isDry; pass++) result = await session.run()
      return reporter.summary(state.notes.size, result.conflicts)
    } catch (error) {
      if (error instanceof NetworkError) progress.note('The server was lost. Run the command again to go on from here.')
      throw error
    } finally {
      session.save()
      progress.end()
      unlock()
    }
  },
})
