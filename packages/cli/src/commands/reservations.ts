import type { Reservation } from 'worklore-client'
import { command } from '../command.js'
import { limitOption } from '../option.js'
import { takeLimited } from '../pages.js'
import { type Column, listAnswer } from '../terminal/table.js'
import { localTime } from '../times.js'

const columns: readonly Column<Reservation>[] = [
  ['RESOURCE', 'resource'],
  ['TASK', 'taskId', 'cyan'],
  ['HELD BY', ({ worker, heldBy }) => worker ?? heldBy.name],
  ['UNTIL', ({ expiresAt }) => localTime(expiresAt)],
  ['TITLE', 'title'],
]

export const reservations = command({
  more: 'What live claims reserve, of one project with --project. Tasks that need the same are not ready until it is free.',
  options: { limit: limitOption(50) },
  run: async (cli, values) => {
    const wl = cli.client()
    const { project: projectId } = cli.settings
    const list = (limit: number) => wl.reservations.list({ projectId, limit })
    return listAnswer(await takeLimited(cli, list, values.limit, 50), 'taskId', columns)
  },
})
