import type { HistoryEntry, ListHistoryAnswer, ListHistoryQuery, Worklore } from 'worklore-client'
import type { Answer, Cli } from './command.js'
import { changesText } from './event-text.js'
import { keyIdOf } from './named-records.js'
import { text } from './option.js'
import { takeLimited, takeRecords } from './pages.js'
import { oneLine, printable, type Screen } from './terminal/screen.js'
import { localTime, pastTime } from './times.js'

/** What a change, an entry of the trash or an undone record is about. */
export type Subject = Pick<HistoryEntry, 'task' | 'comment' | 'knowledge' | 'project'>

interface FieldValues {
  from?: unknown
  to?: unknown
  /** In place of both, where a text is long. */
  diff?: string
}

/** Who made changes, and when. */
export const changeOptions = {
  key: text('KEY-ID', 'By this API key, by id or name; me'),
  request: text('REQUEST', 'By this request'),
  since: text('TIME', 'From 20m ago, 3d ago, or a time on'),
  until: text('TIME', 'From before that'),
}

type Values = Partial<Record<keyof typeof changeOptions, string | undefined>>

export const changesOf = async (wl: Worklore, { key, request, since, until }: Values) => ({
  keyId: await keyIdOf(wl, key),
  requestId: request,
  since: pastTime('--since', since),
  until: pastTime('--until', until),
})

/** All changes, newest first. */
export const readHistory = (wl: Worklore, query: ListHistoryQuery): Promise<ListHistoryAnswer> =>
  takeRecords((limit) => wl.history.list({ ...query, limit }))

/** The newest changes. */
export const listHistory = (
  cli: Cli,
  wl: Worklore,
  query: ListHistoryQuery,
  limit: string | undefined,
): Promise<ListHistoryAnswer> => takeLimited(cli, (size) => wl.history.list({ ...query, limit: size }), limit, 20)

export const subjectText = ({ task, comment, knowledge, project }: Subject): string =>
  oneLine(comment ? `${task}/${comment}` : (task ?? knowledge ?? project ?? ''))

const fieldChanges = ({ changes }: HistoryEntry) => Object.entries(changes as Record<string, FieldValues>)

const summaryOf = (entry: HistoryEntry): string =>
  changesText(fieldChanges(entry).map(([name, { from, to, diff }]) => (diff === undefined ? [name, from, to] : [name])))

/** One change on one line; on a terminal with the difference of long texts below it. */
const historyText = (screen: Screen, entry: HistoryEntry): string => {
  const { type, at, actor, via, version } = entry
  const who = `${oneLine(actor.keyName)} (${via})`
  const summary = summaryOf(entry)
  if (!screen.isTerminal) return [version, at, type, subjectText(entry), who, summary].join('\t')
  const head = [
    screen.paint('dim', localTime(at)),
    screen.paint('yellow', type),
    screen.paint('cyan', `${subjectText(entry)} v${version}`),
    summary,
    screen.paint('dim', who),
  ]
  const diffs = fieldChanges(entry).flatMap(([, { diff }]) => diff ?? [])
  return [head.filter(Boolean).join('  '), ...diffs.map((diff) => colored(screen, diff))].join('\n')
}

const colored = (screen: Screen, diff: string): string =>
  printable(diff)
    .split('\n')
    .map(
      (line) =>
        `    ${line.startsWith('+') ? screen.paint('green', line) : line.startsWith('-') ? screen.paint('red', line) : line}`,
    )
    .join('\n')

export const historyAnswer = (body: ListHistoryAnswer): Answer => ({
  body,
  ids: body.data.map(({ id }) => id),
  text: (screen) => body.data.map((entry) => historyText(screen, entry)).join('\n'),
})
