import { isatty } from 'node:tty'
import { Worklore } from 'worklore-client'
import { parseWords } from './arguments.js'
import { createRememberedClaims } from './claims.js'
import type { Answer, Cli, Command } from './command.js'
import { actionsOf, commandNames } from './commands.js'
import { CommandError, exitDone, exitFailed, exitUnauthorized, exitUsage } from './exit-codes.js'
import { failureOf } from './failure.js'
import { helpOf } from './help.js'
import { didYouMean } from './nearest-name.js'
import { workFolder } from './repository.js'
import { defaultUrl, readSettings, type Settings } from './settings.js'
import { forScreen, printable, safeJson, screenOf } from './terminal/screen.js'
import { stateFolder } from './user-folders.js'
import { version } from './version.js'

/** A command is about one request, or a few: who waits for it wants to hear soon that the server is away. */
const maxRetries = 2
const maxWaitMs = 10_000

const write = (text: string): void => {
  if (text !== '') process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

const printAnswer = (cli: Cli, { body, ids, text }: Answer): void => {
  const { isTerminal } = cli.screen
  // To a program the answer goes as it is.
  const asIs = (data: string): string => data
  if (cli.isJson && body === undefined) return
  if (cli.isJson) write((isTerminal ? safeJson : asIs)(JSON.stringify(body, null, 2)))
  else if (cli.isQuiet) write((isTerminal ? printable : asIs)(ids.join('\n')))
  else cli.print(text(cli.screen))
}

/** A reader that has seen enough, such as `head`, is no failure; a full disk is. */
const watchOutput = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitDone)
    process.stderr.write(`wl: ${failureOf(error, '').line}\n`)
    process.exit(exitFailed)
  })
}

export const refuseCommand = (name: string): number => {
  const actions = commandNames.filter((each) => each.startsWith(`${name} `))
  const hint =
    actions.length > 0
      ? ` Use ${actions.map((each) => `wl ${each}`).join(', ')}.`
      : didYouMean(name, commandNames) || ' Run wl --help for the commands.'
  process.stderr.write(`wl: ${actions.length > 0 ? 'incomplete' : 'unknown'} command "${name}".${hint}\n`)
  return exitUsage
}

/** Runs a command, prints what it answers, and gives the exit code. */
export const runCommand = async (name: string, about: string, command: Command, args: string[]): Promise<number> => {
  watchOutput()
  let known: Settings | undefined
  let isJson = false
  try {
    const { values, words } = parseWords(name, command, args)
    if (values.help) {
      write([helpOf(name, about, command), actionsOf(name)].filter(Boolean).join('\n\n'))
      return exitDone
    }
    isJson = values.json === true
    const { env } = process
    const folder = workFolder(process.cwd())
    // Read when they are needed: a command that changes them must not fail because of them.
    const settingsOf = (): Settings => {
      known ??= readSettings(values, env, folder)
      return known
    }
    const cli: Cli = {
      get settings() {
        return settingsOf()
      },
      screen: screenOf(process.stdout, env),
      isInteractive: isatty(0),
      isJson,
      isQuiet: values.quiet === true,
      isText: !isJson && !values.quiet,
      isConfirmed: values.yes === true,
      get claims() {
        return createRememberedClaims(stateFolder(env), folder, settingsOf().url)
      },
      key: () => {
        const { url, key } = settingsOf()
        if (!key) throw new CommandError(`No API key for ${url}. Run wl login, or set WORKLORE_KEY.`, exitUnauthorized)
        return key
      },
      client: (options) => {
        const userAgent = `worklore-cli/${version} node/${process.versions.node}`
        return new Worklore({
          baseUrl: settingsOf().url,
          apiKey: cli.key(),
          userAgent,
          maxRetries,
          maxWaitMs,
          ...options,
        })
      },
      print: (text) => write(forScreen(text)),
      note: (line) => void process.stderr.write(`${printable(line)}\n`),
    }
    const answer = await command.run(cli, values, words)
    if (answer) printAnswer(cli, answer)
    return answer?.exitCode ?? exitDone
  } catch (error) {
    const { line, exitCode, body } = failureOf(error, known?.url ?? defaultUrl, known?.projectSource)
    process.stderr.write(isJson && body ? `${safeJson(JSON.stringify(body))}\n` : `wl: ${printable(line)}\n`)
    return exitCode
  }
}
