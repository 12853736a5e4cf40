import { parseArgs } from 'node:util'
import type { Command } from './command.js'
import { usageError } from './exit-codes.js'
import { synopsisOf } from './help.js'
import { didYouMean } from './nearest-name.js'
import { globalOptions } from './option.js'

export type GlobalValues = Partial<Record<'url' | 'api-key' | 'project' | 'profile', string>> & {
  field?: string[]
} & Partial<Record<'json' | 'quiet' | 'yes' | 'help', boolean>>

export interface Parsed {
  values: GlobalValues & Record<string, unknown>
  words: string[]
}

const unknownOption = /^Unknown option '([^']+)'/

export const parseWords = (name: string, command: Command, args: string[]): Parsed => {
  const options = { ...globalOptions, ...command.options }
  try {
    const { values, positionals: words } = parseArgs({ args, options, allowPositionals: true })
    if (values.help) return { values, words }
    const least = command.words.filter((word) => !word.startsWith('[')).length
    const most = command.words.length
    const isOpenEnded = command.words.at(-1)?.includes('...')
    if (words.length < least) throw usageError(`wl ${name} needs more arguments. ${synopsisOf(name, command)}`)
    if (words.length > most && !isOpenEnded)
      throw usageError(`wl ${name} does not take "${words[most]}". ${synopsisOf(name, command)}`)
    return { values, words }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error
    const unknown = unknownOption.exec(message)?.[1]
    if (unknown === undefined) throw usageError(message.replaceAll('\n', ' ').replace(/\.?$/, '.'))
    if (unknown === '--claim' && 'claim-token' in options) throw usageError('--claim is now --claim-token.')
    const known = Object.keys(options).map((option) => `--${option}`)
    throw usageError(
      `Unknown option ${unknown}.${didYouMean(unknown, known) || ` Run wl ${name} --help for the options.`}`,
    )
  }
}
