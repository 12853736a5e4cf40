import type { ChangeEvent, NewestEventsQuery, Worklore } from 'worklore-client'
import { command } from '../command.js'
import { eventLine } from '../event-text.js'
import { countOf, listOf } from '../input.js'
import { flag, text, texts } from '../option.js'
import { safeJson } from '../terminal/screen.js'

const maxPage = 100

/** The last events, up to a number, oldest first. */
const lastEvents = async (wl: Worklore, filters: NewestEventsQuery, count: number): Promise<ChangeEvent[]> => {
  const events: ChangeEvent[] = []
  for (let before: number | undefined; events.length < count; ) {
    const limit = Math.min(count - events.length, maxPage)
    const { data, pagination } = await wl.events.newest({ ...filters, before, limit })
    events.push(...data)
    if (pagination.nextBefore === null) break
    before = pagination.nextBefore
  }
  return events.reverse()
}

export const log = command({
  more: 'The last events, oldest first. With --json --follow, one event on each line.',
  options: {
    follow: flag('Go on with what happens from now on, until interrupted', 'f'),
    type: texts('TYPE', 'Such as task.created, or task.* for all of a kind', 't'),
    limit: text('COUNT', 'How many of the last events; 20 if not given', 'n'),
  },
  run: async (cli, values) => {
    const wl = cli.client({
      onRetry: ({ error, waitMs }) => cli.note(`${error.message} Trying again in ${Math.ceil(waitMs / 1_000)} s.`),
    })
    const filters = { types: listOf(values.type), projectId: cli.settings.project }
    const events = await lastEvents(wl, filters, countOf('--limit', values.limit ?? '20', 10_000))
    if (!values.follow) {
      return {
        body: { data: events },
        ids: events.map(({ id }) => id),
        text: (screen) => events.map((event) => eventLine(screen, event)).join('\n'),
      }
    }
    const print = (event: ChangeEvent): void => {
      if (cli.isText) cli.print(eventLine(cli.screen, event))
      else process.stdout.write(`${cli.isJson ? safeJson(JSON.stringify(event)) : event.id}\n`)
    }
    for (const event of events) print(event)
    const after = events.at(-1)?.sequence ?? 'latest'
    for await (const event of wl.events.stream({ ...filters, after })) print(event)
    return undefined
  },
})
