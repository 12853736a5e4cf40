import { actionsOf, findCommand, loadCommand, overview } from './commands.js'
import { globalOptions, valueNameOf } from './option.js'
import { refuseCommand, runCommand } from './run.js'
import { version } from './version.js'

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h' || word === 'help'

/** Options of every command may also come before it. */
const splitOptions = (words: string[]): [options: string[], rest: string[]] => {
  let at = 0
  while (words[at]?.startsWith('-') && !isHelp(words[at])) at += valueNameOf(words[at], globalOptions) ? 2 : 1
  return at < words.length ? [words.slice(0, at), words.slice(at)] : [[], words]
}

const start = async (words: string[]): Promise<number> => {
  const [options, [first, ...others]] = splitOptions(words)
  if (first === undefined || (isHelp(first) && others.length === 0)) {
    process.stdout.write(overview(version))
    return first === undefined ? 2 : 0
  }
  const [name, rest] = findCommand(isHelp(first) ? [...others, '--help'] : [first, ...others])
  const found = await loadCommand(name)
  if (found) return runCommand(name, ...found, [...options, ...rest])
  const actions = actionsOf(name)
  if (actions === '' || !rest.some(isHelp)) return refuseCommand(name)
  process.stdout.write(
    `Usage: wl ${name} <command> [arguments] [options]\n\n${actions}\n\nwl ${name} COMMAND --help explains one.\n`,
  )
  return 0
}

start(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode
})
