import type { ApiError, Task, Worklore } from 'worklore-client'
import { type BulkUnit, sendUnits } from 'worklore-client/bulk'
import { type Answer, type Cli, command } from '../command.js'
import { CommandError, exitDone, exitFailed } from '../exit-codes.js'
import { flag, text, texts } from '../option.js'
import { createProgress } from '../terminal/progress.js'
import { confirm } from '../terminal/prompt.js'
import { printable } from '../terminal/screen.js'
import { checkSource } from '../transfer/check.js'
import { createNoteImport } from '../transfer/import-notes.js'
import { findTarget } from '../transfer/import-target.js'
import { createTaskImport } from '../transfer/import-tasks.js'
import { noteWait, patientClient } from '../transfer/patient-client.js'
import { readSource } from '../transfer/read-source.js'
import type { BadRecord, SourceNote } from '../transfer/records.js'
import { searchableText } from '../transfer/searchable.js'
import { mappingLines, mapStatuses, readMap, type StatusMapping } from '../transfer/statuses.js'
import { wordsOf } from '../wording.js'

const maxShown = 20

const shownSome = (lines: readonly string[]): string[] =>
  lines.length > maxShown ? [...lines.slice(0, maxShown), `… and ${lines.length - maxShown} more`] : [...lines]

const badLines = (bad: readonly BadRecord[]): string[] =>
  shownSome(bad.map(({ place, reason }) => `${place}: ${reason}`))

interface Counts {
  format: string
  dryRun: boolean
  projects: { created: number }
  tasks: { created: number; reopened: number; completed: number; existing: number }
  notes: { created: number; existing: number }
  statuses: readonly StatusMapping[]
  bad: readonly BadRecord[]
  droppedLinks: readonly string[]
  /** How much of it is searchable by meaning, where that takes a while. */
  searchable?: string | undefined
}

const answerOf = (counts: Counts): Answer => {
  const { tasks, notes, projects, statuses, bad, droppedLinks, dryRun, format } = counts
  const [created, completed] = dryRun ? ['to create', 'to complete'] : ['created', 'completed']
  const leftOut = (what: string, count: number, lines: string[]): string[] =>
    count > 0 ? [`${what}\t${count} left out`, ...lines.map((line) => `\t${line}`)] : []
  const lines = [
    ...(projects.created > 0 ? [`projects\t${projects.created} ${created}`] : []),
    `tasks\t${tasks.created} ${created}, ${tasks.completed} ${completed}, ${tasks.existing} already there`,
    ...(tasks.reopened > 0 ? [`\t${tasks.reopened} in progress: todo, with the label was-in-progress`] : []),
    ...mappingLines(statuses).map((line, at) => `${at === 0 ? 'statuses' : ''}\t${line}`),
    `notes\t${notes.created} ${created}, ${notes.existing} already there`,
    ...(counts.searchable === undefined ? [] : [`search\t${counts.searchable}`]),
    ...leftOut('bad', bad.length, badLines(bad)),
    ...leftOut('links', droppedLinks.length, shownSome(droppedLinks)),
  ]
  return {
    body: { data: counts },
    ids: [],
    text: ({ isTerminal }) => {
      if (!isTerminal) return printable(lines.join('\n'))
      if (dryRun) lines.unshift(`Format ${format}; nothing was changed.`)
      return printable(lines.join('\n').replaceAll('\t', '  '))
    },
  }
}

/** What the statuses of another system mean is not guessed in silence. */
const confirmGuesses = async (cli: Cli, mappings: readonly StatusMapping[]): Promise<void> => {
  const guesses = mappings.filter(({ isGuess }) => isGuess)
  if (guesses.length === 0) return
  const lines = mappingLines(guesses).map((line) => `  ${line}`)
  await confirm(
    cli,
    `These statuses are not known here and would become:\n${lines.join('\n')}\nCorrect one with --map "${guesses[0]!.from}=STATUS".`,
  )
}

const below = (prefix: string, { key, fields, ...note }: SourceNote): SourceNote => ({
  ...note,
  key: prefix + key,
  fields: { ...fields, supersedes: fields?.supersedes?.map((old) => prefix + old) },
})

/** A task that may have been deleted meanwhile. */
const foundTask = (wl: Worklore, id: string): Promise<Task | undefined> =>
  wl.tasks.get(id).catch((error: ApiError) => {
    if (error.status !== 404) throw error
    return undefined
  })

const importCommand = command({
  words: ['FILE | FOLDER | -'],
  more: `Formats:

  worklore  what wl export writes, a file or a folder
  beads     .beads/issues.jsonl, or the folder with it
  backlog   a Backlog.md folder
  markdown  a folder of Markdown notes, such as an Obsidian vault
  github    what gh issue list --json number,title,body,state,labels,comments prints
  linear    a CSV export of Linear
  plane     a CSV export of Plane

A status of the source becomes the status of the project with the same name, else one of a category; what is only a guess by its name is shown and must be confirmed, or said with --map "In QA=in_review".

Old ids become the external ids of tasks and are replaced in links and texts. What is there already stays as it is, so an import can be repeated, also after an interruption.`,
  options: {
    from: text('FORMAT', 'needed for standard input'),
    project: text('PROJECT', 'Import everything into this project', 'p'),
    tenant: flag('Notes for the whole tenant, even if a project is set'),
    prefix: text('KEY', 'Put the notes below this key'),
    'dry-run': flag('Only say what would happen'),
    'skip-bad': flag('Leave out what is wrong'),
    map: texts('NAME=STATUS', 'What a status of the source becomes; repeat it for several'),
  },
  run: async (cli, values, [path]) => {
    const read = await readSource(path!, values.from)
    const prefix = values.prefix?.replace(/\/*$/, '/') ?? ''
    const source = checkSource({ ...read, notes: read.notes.map((note) => below(prefix, note)) })
    const isDry = values['dry-run'] === true
    const skipsBad = values['skip-bad'] === true
    const { bad } = source
    if (bad.length > 0 && !skipsBad && !isDry) {
      const what = bad.length === 1 ? '1 record is wrong' : `${bad.length} records are wrong`
      throw new CommandError(
        `${badLines(bad).join('\nwl: ')}\nwl: ${what}; nothing was imported. Correct them, or leave them out with --skip-bad.`,
      )
    }
    const refuse = ({ place }: { place: string }, error: ApiError): void => {
      if (!skipsBad) {
        throw new CommandError(
          `${place}: ${wordsOf(error)} Correct it and import again, or leave it out with --skip-bad.`,
        )
      }
      bad.push({ place, reason: wordsOf(error) })
    }

    const progress = createProgress()
    const wl = patientClient(cli, progress)
    const { project, isProjectExplicit } = cli.settings
    const choice = {
      project: source.hasProjects && !isProjectExplicit ? undefined : project,
      isTenant: values.tenant === true,
    }
    try {
      const target = await findTarget(wl, source, choice, isDry, progress)
      const { tasks: mapped, mappings } = mapStatuses(source, target, readMap(values.map ?? []))
      if (!isDry) await confirmGuesses(cli, mappings)
      const tasks = createTaskImport({ ...source, tasks: mapped }, target, refuse)
      const notes = createNoteImport(source.notes, { ...target, projectIdOf: target.noteProjectIdOf }, refuse)
      const counts = {
        format: source.format,
        dryRun: isDry,
        projects: { created: target.missing.length },
        statuses: mappings,
        bad,
      }
      if (isDry) {
        return {
          ...answerOf({
            ...counts,
            tasks: {
              created: tasks.toCreate,
              reopened: tasks.toReopen,
              completed: tasks.toComplete,
              existing: tasks.report.existing,
            },
            notes: { created: notes.toCreate, existing: notes.report.existing },
            droppedLinks: [...tasks.linksToDrop(), ...notes.droppedLinks],
          }),
          exitCode: bad.length > 0 ? exitFailed : exitDone,
        }
      }
      const step = async (what: string, units: () => Iterable<BulkUnit>, total: number): Promise<void> => {
        let done = 0
        await sendUnits(wl, units(), {
          onProgress: (count) => {
            done += count
            progress.update(what, done, Math.max(done, total))
          },
          onWait: (error, waitMs) => noteWait(progress, error, waitMs),
        })
      }
      await step('creating tasks', tasks.creations, tasks.toCreate)
      const takeChanged = () => tasks.takeChanged((id) => foundTask(wl, id))
      for (let waiting = await takeChanged(); waiting > 0; waiting = await takeChanged()) {
        await step('linking tasks', tasks.completions, waiting)
      }
      await step('creating notes', notes.creations, notes.toCreate)
      const droppedLinks = [...tasks.report.droppedLinks, ...notes.droppedLinks]
      const searchable = await searchableText(wl)
      return answerOf({ ...counts, tasks: tasks.report, notes: notes.report, droppedLinks, searchable })
    } finally {
      progress.end()
    }
  },
})

export { importCommand as import }
