import type { UndoBody, UndoReport } from 'worklore-client'
import { command } from '../command.js'
import { exitConflict, exitDone, usageError } from '../exit-codes.js'
import { changeOptions, changesOf, type Subject, subjectText } from '../history.js'
import { flag, text } from '../option.js'
import { confirm } from '../terminal/prompt.js'
import { table } from '../terminal/table.js'

type Row = readonly [what: string, record: Subject, note: string]

export const undo = command({
  more: 'What was created goes to the trash, what was deleted comes back. Records that someone else has changed since are listed as conflicts and stay; exit code 5 then. An undo can be undone.',
  options: {
    ...changeOptions,
    'claim-token': text('TOKEN', 'Under this claim'),
    'include-conflicts': flag('Conflicts too'),
    'dry-run': flag('Only say what would happen'),
  },
  run: async (cli, values) => {
    const { key, request, 'claim-token': claim } = values
    if (!key && !request && !claim) throw usageError('Say whose changes to undo: --key, --request or --claim-token.')
    const wl = cli.client()
    const { project, isProjectExplicit } = cli.settings
    const dryRun = values['dry-run'] === true
    if (!dryRun) await confirm(cli, `This undoes the changes of ${key ?? request ?? claim}.`)
    const body = {
      ...(await changesOf(wl, values)),
      claim,
      projectId: isProjectExplicit ? project : undefined,
      includeConflicts: values['include-conflicts'],
      dryRun,
    }
    const whole: UndoReport = { dryRun, undone: [], conflicts: [], unchanged: [], nextCursor: null }
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { nextCursor, ...page } = await wl.history.undo({ ...body, cursor } as UndoBody)
      whole.undone.push(...page.undone)
      whole.conflicts.push(...page.conflicts)
      whole.unchanged.push(...page.unchanged)
      cursor = nextCursor
    }
    const rows: Row[] = [
      ...whole.undone.map((each) => [each.action, each, ''] as const),
      ...whole.conflicts.map((each) => ['conflict', each, each.message] as const),
      ...whole.unchanged.map((each) => ['unchanged', each, ''] as const),
    ]
    if (!cli.isJson && rows.length === 0) cli.note('Nothing to undo.')
    if (!cli.isJson && whole.conflicts.length > 0 && !values['include-conflicts']) {
      cli.note('Add --include-conflicts to undo conflicts too.')
    }
    if (dryRun && cli.screen.isTerminal && rows.length > 0) cli.note('Nothing was changed; without --dry-run:')
    return {
      body: { data: whole },
      ids: whole.undone.map(subjectText),
      exitCode: whole.conflicts.length > 0 ? exitConflict : exitDone,
      text: (screen) =>
        table(
          screen,
          [
            ['WHAT', ([what]) => ({ text: what, style: what === 'conflict' ? 'red' : 'green' })],
            ['RECORD', ([, record]) => subjectText(record), 'cyan'],
            ['NOTE', ([, , note]) => note],
          ],
          rows,
        ),
    }
  },
})
