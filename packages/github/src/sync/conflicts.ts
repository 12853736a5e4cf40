import type { Task, Worklore } from 'worklore-client'
import type { GitHub } from '../github/client.js'
import type { Issue } from '../github/records.js'
import type { Side } from './link.js'
import { withinBytes } from './text.js'
import type { FieldName, FieldValues } from './values.js'

/** Events of an issue that change a field; other changes of an issue have no time but that of the issue. */
const eventsOf: Partial<Record<FieldName, readonly string[]>> = {
  title: ['renamed'],
  state: ['closed', 'reopened'],
  assignee: ['assigned', 'unassigned'],
}

/** The field of a task, as its history and people name it. */
export const nameOfField: Record<FieldName, string> = {
  title: 'title',
  body: 'description',
  state: 'status',
  assignee: 'assignee',
}

/** When each side changed the fields. */
export const timesOf = async (
  wl: Worklore,
  github: GitHub,
  issue: Issue,
  task: Task,
  names: readonly FieldName[],
): Promise<Map<FieldName, Record<Side, string>>> => {
  const events = names.some((name) => eventsOf[name]) ? await github.issueEvents(issue.number) : []
  const { data: history } = await wl.tasks.history(task.id, { limit: 100 })
  const timeThere = (name: FieldName): string =>
    events.findLast(({ event }) => eventsOf[name]?.includes(event))?.created_at ?? issue.updated_at
  const timeHere = (name: FieldName): string =>
    history.find(({ changes }) => changes && nameOfField[name] in changes)?.at ?? task.createdAt
  return new Map(names.map((name) => [name, { github: timeThere(name), worklore: timeHere(name) }]))
}

/** GitHub tells whole seconds: on a tie it may have been the later one. */
export const winnerOf = (times: Record<Side, string>): Side =>
  Date.parse(times.github) + 999 >= Date.parse(times.worklore) ? 'github' : 'worklore'

const maxQuotedBytes = 16 * 1_024
const sideName: Record<Side, string> = { github: 'GitHub', worklore: 'Worklore' }

export const quoted = (text: string): string =>
  withinBytes(text, maxQuotedBytes)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

/** Says which change was replaced, and what it was. */
export const conflictComment = (
  name: FieldName,
  winner: Side,
  times: Record<Side, string>,
  { thereText, hereText }: Pick<FieldValues, 'thereText' | 'hereText'>,
): string => {
  const loser = winner === 'github' ? 'worklore' : 'github'
  const text = loser === 'github' ? thereText : hereText
  const timeOf = (side: Side): string => new Date(times[side]).toISOString()
  return [
    `The ${nameOfField[name]} was changed on both sides since the last sync. The change on ${sideName[winner]} ` +
      `(${timeOf(winner)}) was kept. The one on ${sideName[loser]} (${timeOf(loser)}) was replaced:`,
    quoted(text === '' ? '(empty)' : text),
  ].join('\n\n')
}
