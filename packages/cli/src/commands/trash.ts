import type { SkippedLink, TrashEntry, Worklore } from 'worklore-client'
import { type Answer, command, oneAnswer } from '../command.js'
import { CommandError, exitNothing, usageError } from '../exit-codes.js'
import { subjectText } from '../history.js'
import { countOf } from '../input.js'
import { flag, limitOption, text } from '../option.js'
import { takeLimited } from '../pages.js'
import { asTaskId, isTaskId } from '../task-id.js'
import { confirm } from '../terminal/prompt.js'
import { printable } from '../terminal/screen.js'
import { listAnswer } from '../terminal/table.js'
import { localTime } from '../times.js'

export const trash = command({
  more: 'Newest first. wl restore brings it back.',
  options: { kind: text('KIND'), limit: limitOption(50) },
  run: async (cli, { kind, limit }) => {
    const wl = cli.client()
    const { project, isProjectExplicit } = cli.settings
    const filters = { kind: kind as TrashEntry['kind'] | undefined, projectId: isProjectExplicit ? project : undefined }
    const body = await takeLimited(cli, (size) => wl.trash.list({ ...filters, limit: size }), limit, 50)
    return listAnswer(body, 'id', [
      ['ENTRY', 'id', 'cyan'],
      ['KIND', 'kind'],
      ['DELETED', ({ deletedAt }) => localTime(deletedAt)],
      ['BY', ({ deletedBy }) => deletedBy.keyName],
      ['RECORD', subjectText],
      ['TITLE', 'title'],
    ])
  },
})

export const rm = command({
  words: ['[ENTRY-ID]'],
  more: 'It cannot be undone.',
  options: { all: flag('Everything in the trash', 'a') },
  run: async (cli, { all }, [id]) => {
    if ((id === undefined) !== (all === true)) throw usageError('Name an entry, or use --all.')
    await confirm(cli, `This removes ${id ?? 'everything in the trash'} for good.`)
    const { trash } = cli.client()
    if (id === undefined) return oneAnswer(await trash.empty(), 'trash', 'The trash is empty.')
    return oneAnswer(await trash.purge(id), id, `Removed ${id} for good.`)
  },
})

const restored = (name: string, body: unknown, version: number | null, skipped: readonly SkippedLink[]): Answer => {
  const left = skipped.map(
    ({ task, knowledge, field, value, reason }) => `Left out: ${task ?? knowledge} ${field} ${value}: ${reason}`,
  )
  const what = version === null ? `Restoring ${name}` : `Restored ${name} (version ${version})`
  return { body, ids: [name], text: ({ isTerminal }) => printable([isTerminal ? what : name, ...left].join('\n')) }
}

/** The newest entry of the trash for a record. */
const entryOf = async (wl: Worklore, record: string): Promise<string> => {
  const kind = isTaskId(record) ? 'task' : undefined
  for await (const { id, task, comment, knowledge, project } of wl.trash.list({ kind, limit: 100 })) {
    if (comment === undefined ? [task, knowledge, project].includes(record) : comment === record) return id
  }
  throw new CommandError(`${record} is not in the trash. To restore an old version, use --version.`, exitNothing)
}

export const restore = command({
  words: ['ENTRY-ID | ID | KEY'],
  more: 'By an entry that wl trash lists, or by the id or key of what was deleted. An old version of a task or note becomes the newest one.',
  options: { version: text('N', 'The version to restore, as wl history shows it') },
  run: async (cli, { version }, [word]) => {
    const wl = cli.client()
    const record = asTaskId(word!)
    if (version !== undefined) {
      const { project, isProjectExplicit } = cli.settings
      const subject = isTaskId(record)
        ? { task: record }
        : { knowledge: record, ...(isProjectExplicit && project !== undefined && { projectId: project }) }
      const body = await wl.history.restore({ ...subject, version: countOf('--version', version) })
      return restored(record, body, body.data.version, body.skipped ?? [])
    }
    const data = await wl.trash.restore(record.startsWith('tra_') ? record : await entryOf(wl, record))
    return restored(subjectText(data) || record, { data }, data.version, data.skipped)
  },
})
