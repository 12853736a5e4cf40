import { statSync } from 'node:fs'
import { command } from '../command.js'
import { flag, text } from '../option.js'
import { createProgress } from '../terminal/progress.js'
import { confirm } from '../terminal/prompt.js'
import { printable } from '../terminal/screen.js'
import { exportRecords } from '../transfer/export-records.js'
import { isFile } from '../transfer/files.js'
import { patientClient } from '../transfer/patient-client.js'
import { type Counts, writeFileExport, writeFolderExport, writeStreamExport } from '../transfer/write-export.js'

/** A name with .jsonl, or of something that is there and is no folder. */
const isFileTarget = (path: string): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? !stats.isDirectory() : /\.jsonl$/i.test(path)
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const exportCommand = command({
  words: ['FILE.jsonl | FOLDER | -'],
  more: 'That is all that the key may read: as JSON lines, or as a folder of Markdown notes with tasks.jsonl. wl import reads both.',
  options: {
    project: text('PROJECT', 'Only this project', 'p'),
    history: flag('With every change, which wl import leaves out'),
  },
  run: async (cli, { history }, [path]) => {
    if (path !== '-' && isFile(path!)) await confirm(cli, `This replaces ${path}.`)
    const progress = createProgress()
    // Also where the reader of standard output has enough, which ends the process.
    process.once('exit', progress.end)
    const { project, isProjectExplicit } = cli.settings
    const wl = patientClient(cli, progress)
    const choice = { projectId: isProjectExplicit ? project : undefined, hasHistory: history === true }
    const records = exportRecords(wl, choice, progress.update)
    let counts: Counts
    try {
      if (path === '-') counts = await writeStreamExport(records)
      else if (isFileTarget(path!)) counts = await writeFileExport(path!, records)
      else counts = await writeFolderExport(path!, records)
    } finally {
      progress.end()
    }
    const { project: projects, task: tasks, note: notes } = counts
    const line = `Exported ${counted(tasks, 'task')}, ${counted(notes, 'note')}, ${counted(projects, 'project')} to ${path}.`
    if (path === '-') {
      cli.note(line)
      return undefined
    }
    return { body: { data: { path, projects, tasks, notes } }, ids: [path!], text: () => printable(line) }
  },
})

export { exportCommand as export }
