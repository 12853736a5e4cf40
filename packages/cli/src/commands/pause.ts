import type { Paused, Worklore } from 'worklore-client'
import { type Answer, type Cli, command, oneAnswer } from '../command.js'
import { usageError } from '../exit-codes.js'
import { keyIdOf } from '../named-records.js'
import { text } from '../option.js'

type PauseChange = { paused: { reason: string } | null }
type PausedRecord = { id: string; name?: string; paused: Paused | null }

const change = async (wl: Worklore, words: string[], body: PauseChange): Promise<[what: string, PausedRecord]> => {
  const [what, name, ...rest] = words
  if (what === 'all' && name === undefined) return ['everything', await wl.tenant.update(body)]
  if (name !== undefined && rest.length === 0) {
    if (what === 'key') return [`key ${name}`, await wl.keys.update((await keyIdOf(wl, name))!, body)]
    if (what === 'project') return [`project ${name}`, await wl.projects.update(name, body)]
  }
  throw usageError('Say what: key NAME, project PROJECT or all.')
}

const run = async (cli: Cli, words: string[], body: PauseChange): Promise<Answer> => {
  const [what, record] = await change(cli.client(), words, body)
  const { paused } = record
  const line = paused ? `Paused ${what}: ${paused.reason}` : `Resumed ${what}.`
  return oneAnswer(record, record.id, line)
}

const words = ['WHAT', '[KEY-ID|PROJECT]']

export const pause = command({
  words,
  more: `WHAT is key, project or all. A key goes by its id or name. Nobody gets work from what is paused, by wl next or
wl claim; what is held can be finished.`,
  options: { reason: text('TEXT', 'Why; whoever asks for work is told', 'm') },
  run: async (cli, { reason }, words) => {
    if (reason === undefined) throw usageError('Say why with --reason TEXT.')
    return run(cli, words, { paused: { reason } })
  },
})

export const resume = command({
  words,
  more: 'WHAT is key, project or all.',
  run: async (cli, _values, words) => run(cli, words, { paused: null }),
})
