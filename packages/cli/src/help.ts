import { choices } from './choices.js'
import type { Command } from './command.js'
import { globalOptions, type OptionSpecs } from './option.js'

const maxWidth = 110

/** Lines of a paragraph are joined first; those that begin with a space stay as they are. */
const wrapped = (text: string): string =>
  text
    .replaceAll(/(?<=\S)\n(?=\S)/g, ' ')
    .replaceAll(new RegExp(`(?=.{${maxWidth + 1}})(.{1,${maxWidth}}) +`, 'g'), '$1\n')
    .trimEnd()

/** How a command is written. */
export const synopsisOf = (name: string, { words }: Command): string =>
  ['Usage: wl', name, ...words, '[options]'].join(' ')

/** Options with what they are for, aligned. */
export const optionLines = (options: OptionSpecs): string => {
  const rows = Object.entries(options).map(([name, { short, value = '', about }]) => [
    `${short ? `-${short}, ` : ''}--${name} ${value}`,
    [choices[value]?.join(', '), about].filter(Boolean).join('; '),
  ])
  const width = Math.max(...rows.map(([head]) => head!.length))
  return rows.map(([head, about]) => `  ${head!.padEnd(width)}  ${about}`).join('\n')
}

/** Returns a section of the help, or an empty string if it has no lines. */
const section = (heading: string, lines: string): string => (lines === '' ? '' : `${heading}:\n${lines}`)

/** Returns what `wl COMMAND --help` prints. `actions` lists its subcommands. */
export const helpOf = (
  name: string,
  about: string,
  command: Command,
  examples: readonly string[],
  actions: string,
): string => {
  const others = Object.entries(globalOptions).filter(([option]) => !(option in command.options))
  return [
    synopsisOf(name, command),
    wrapped(`${about}. ${command.more}`),
    section('Options', optionLines(command.options)),
    section('Options of every command', optionLines(Object.fromEntries(others))),
    section('Examples', examples.map((each) => `  ${each}`).join('\n')),
    actions,
  ]
    .filter(Boolean)
    .join('\n\n')
}
