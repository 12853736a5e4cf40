import type { Worklore } from 'worklore-client'
import { choices, openStatuses } from './choices.js'
import type { Cli, Command } from './command.js'
import { commandNames, findCommand, loadCommand } from './commands.js'
import { globalOptions, valueNameOf } from './option.js'
import { oneLine } from './terminal/screen.js'
import { secondsOf } from './times.js'

export interface Candidate {
  value: string
  about: string
}

/** Someone is waiting with a finger on the tab key. */
const usualTimeout = '2s'
const limit = 100

const plain = (values: Iterable<string>): Candidate[] => [...new Set(values)].map((value) => ({ value, about: '' }))

const named = async <T>(list: PromiseLike<{ data: T[] }>, value: keyof T, about: keyof T): Promise<Candidate[]> =>
  (await list).data.map((record) => ({ value: String(record[value]), about: oneLine(String(record[about])) }))

const openTasks = (wl: Worklore, projectId: string | undefined) =>
  wl.tasks.list({ projectId, status: openStatuses, limit, sort: '-updatedAt' })

type Fetch = (wl: Worklore, projectId: string | undefined, typed: string) => Promise<Candidate[]>

const tasks: Fetch = (wl, projectId) => named(openTasks(wl, projectId), 'id', 'title')

const notes: Fetch = async (wl, _projectId, typed) => {
  const { data } = await wl.knowledge.list({ prefix: typed || undefined, fields: 'key', limit })
  return plain(data.map(({ key }) => key))
}

/** Asks the server what there is to name, by what an option or argument calls its value. */
const fetches: Record<string, Fetch> = {
  ID: tasks,
  BLOCKER: tasks,
  LABEL: async (wl, projectId) => plain((await openTasks(wl, projectId)).data.flatMap(({ labels }) => labels).sort()),
  TAG: async (wl, projectId) => {
    const { data } = await wl.knowledge.list({ projectId, fields: 'key', limit: 500 })
    return plain(data.flatMap(({ tags }) => tags).sort())
  },
  KEY: notes,
  SUCCESSOR: notes,
  STATUS: async (wl, projectId) => {
    const own = projectId === undefined ? null : (await wl.projects.get(projectId)).statuses
    return own ? own.map(({ status, name }) => ({ value: status, about: oneLine(name) })) : plain(choices.STATUS!)
  },
  PROJECT: (wl) => named(wl.projects.list({ limit }), 'key', 'name'),
  USER: async (wl) => [...(await named(wl.users.list({ limit }), 'name', 'id')), ...plain(['me', 'none'])],
  'QUESTION-ID': (wl) => named(wl.questions.list({ state: 'open', limit }), 'id', 'body'),
  'KEY-ID': (wl) => named(wl.keys.list({ limit }), 'id', 'name'),
  'WEBHOOK-ID': (wl) => named(wl.webhooks.list({ limit }), 'id', 'url'),
  'ENTRY-ID': (wl) => named(wl.trash.list({ limit }), 'id', 'title'),
}

const fetchCandidates = async (cli: Cli, value: string, typed: string): Promise<Candidate[]> => {
  const fetch = fetches[value]
  if (!fetch) return plain(choices[value] ?? [])
  const timeout = process.env.WORKLORE_COMPLETION_TIMEOUT || usualTimeout
  const timeoutMs = secondsOf('WORKLORE_COMPLETION_TIMEOUT', timeout)! * 1_000
  return fetch(cli.client({ maxRetries: 0, timeoutMs, maxWaitMs: 0 }), cli.settings.project, typed)
}

/** First words, or the second ones of a command that has actions. */
const nameCandidates = (words: readonly string[]): Candidate[] => {
  const start = words
    .slice(0, -1)
    .map((word) => `${word} `)
    .join('')
  return plain(
    commandNames.filter((name) => name.startsWith(start)).map((name) => name.slice(start.length).split(' ', 1)[0]!),
  )
}

const unfiltered = async (cli: Cli, words: readonly string[]): Promise<Candidate[]> => {
  const typed = words.at(-1)!
  const names = nameCandidates(words)
  const [name, before] = findCommand(words.slice(0, -1))
  const found = await loadCommand(name)
  if (!found) return names
  const [, command] = found
  const options: Command['options'] = { ...globalOptions, ...command.options }
  const valueName = valueNameOf(words.at(-2), options)
  if (valueName !== undefined) return fetchCandidates(cli, valueName, typed)
  if (typed.startsWith('-')) return plain(Object.keys(options).map((each) => `--${each}`))
  const place = before.filter((word, at) => !word.startsWith('-') && !valueNameOf(before[at - 1], options)).length
  const last = command.words.at(-1) ?? ''
  const word = command.words[place] ?? (last.includes('...') ? last : '')
  const fetched = await Promise.all((word.match(/[A-Z-]+/g) ?? []).map((each) => fetchCandidates(cli, each, typed)))
  return [...names, ...fetched.flat()]
}

/** What the last of the words, typed so far, may become. */
export const candidatesFor = async (cli: Cli, words: readonly string[]): Promise<Candidate[]> => {
  const typed = (words.at(-1) ?? '').toLowerCase()
  const candidates = await unfiltered(cli, words.length === 0 ? [''] : words)
  return candidates.filter(({ value }) => value.toLowerCase().startsWith(typed)).slice(0, limit)
}
