import { actionsOf, commandNames, findCommand, loadCommand, newNameOf, overview } from './commands.js'
import { exitUsage } from './exit-codes.js'
import { didYouMean } from './nearest-name.js'
import { globalOptions, valueNameOf } from './option.js'
import { runCommand } from './run.js'
import { version } from './version.js'

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h' || word === 'help'

/** Options of every command may also come before it. */
const splitOptions = (words: string[]): [options: string[], rest: string[]] => {
  let at = 0
  while (words[at]?.startsWith('-') && !isHelp(words[at])) at += valueNameOf(words[at], globalOptions) ? 2 : 1
  return at < words.length ? [words.slice(0, at), words.slice(at)] : [[], words]
}

const refuseCommand = (name: string): number => {
  const newName = newNameOf(name)
  const actions = commandNames.filter((each) => each.startsWith(`${name} `))
  const hint =
    actions.length > 0
      ? ` Use ${actions.map((each) => `wl ${each}`).join(', ')}.`
      : didYouMean(name, commandNames) || ' Run wl --help for the commands.'
  const unknown = `${actions.length > 0 ? 'incomplete' : 'unknown'} command "${name}".${hint}`
  process.stderr.write(`wl: ${newName === undefined ? unknown : `wl ${name} is now wl ${newName}.`}\n`)
  return exitUsage
}

const start = async (words: string[]): Promise<number> => {
  const [options, [first, ...others]] = splitOptions(words)
  if (first === undefined || (isHelp(first) && others.length === 0)) {
    process.stdout.write(overview(version))
    return first === undefined ? 2 : 0
  }
  const [name, rest] = findCommand(isHelp(first) ? [...others, '--help'] : [first, ...others])
  if (name === 'github') {
    const { installedGithub } = await import('./commands/github.js')
    const program = installedGithub()
    if (program) return program.run([...rest, ...options])
  }
  const found = await loadCommand(name)
  if (found) {
    const [about, command] = found
    const loadExamples = async (): Promise<readonly string[]> => (await import('./examples.js')).examples[name] ?? []
    // Without its package, the options of `wl github` are unknown, so only a request for help is passed on.
    const args = name === 'github' ? rest.filter(isHelp) : [...options, ...rest]
    return runCommand({ name, about, command, actions: actionsOf(name), loadExamples }, args)
  }
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
