import type { InboxEntry } from 'worklore-client'
import { command } from '../command.js'
import { flag, limitOption } from '../option.js'
import { takeLimited } from '../pages.js'
import { oneLine, type Screen, safeJson } from '../terminal/screen.js'
import { type Column, listAnswer } from '../terminal/table.js'
import { localTime } from '../times.js'

const subjectOf = ({ taskId, key }: InboxEntry): string => taskId ?? key ?? ''

const saidOf = ({ title, excerpt }: InboxEntry): string => [title, excerpt].filter((text) => text !== '').join(': ')

const columns: readonly Column<InboxEntry>[] = [
  ['AT', ({ at }) => localTime(at)],
  ['KIND', 'kind', 'yellow'],
  ['ABOUT', subjectOf, 'cyan'],
  ['BY', ({ by }) => by.keyName],
  ['TEXT', saidOf],
]

/** One entry on one line, as they come. */
const entryLine = (screen: Screen, entry: InboxEntry): string => {
  const { at, kind, by } = entry
  const parts = [localTime(at), kind, subjectOf(entry), by.keyName, saidOf(entry)].map(oneLine)
  return parts.join(screen.isTerminal ? '  ' : '\t')
}

export const inbox = command({
  more: `What is meant for the user of your key: questions, answers, mentions, assignments and tasks whose attempts are used
up, newest first. wl answer answers a question, wl show shows a task. With --json --watch, one entry on each line.`,
  options: {
    all: flag('Also what was read', 'a'),
    watch: flag('What is unread, oldest first, then what comes, until interrupted', 'w'),
    read: flag('Mark what is listed as read'),
    limit: limitOption(50),
  },
  run: async (cli, values) => {
    const wl = cli.client({
      onRetry: ({ error, waitMs }) => cli.note(`${error.message} Trying again in ${Math.ceil(waitMs / 1_000)} s.`),
    })
    if (values.watch) {
      for await (const entry of wl.inbox.watch()) {
        if (cli.isText) cli.print(entryLine(cli.screen, entry))
        else process.stdout.write(`${cli.isJson ? safeJson(JSON.stringify(entry)) : entry.id}\n`)
        if (values.read) await wl.inbox.read({ ids: [entry.id] })
      }
    }
    const state = values.all ? 'all' : 'unread'
    const body = await takeLimited(cli, (limit) => wl.inbox.list({ state, limit }), values.limit, 50)
    if (values.read && body.data.length > 0) await wl.inbox.read({ ids: body.data.map(({ id }) => id) })
    if (body.data.length === 0 && cli.screen.isTerminal && cli.isText) cli.note('Nothing for you.')
    return listAnswer(body, 'id', columns)
  },
})
