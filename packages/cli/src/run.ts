import { isatty } from 'node:tty'
import { Worklore } from 'worklore-client'
import { parseWords } from './arguments.js'
import { createRememberedClaims } from './claims.js'
import type { Answer, Cli, Command } from './command.js'
import { CommandError, exitDone, exitFailed, exitUnauthorized, usageError } from './exit-codes.js'
import { failureOf } from './failure.js'
import { helpOf } from './help.js'
import { workFolder } from './repository.js'
import { selectFields } from './selected-fields.js'
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
  if ((cli.isJson || cli.fields.length > 0) && body === undefined) return
  if (cli.fields.length > 0) write((isTerminal ? printable : asIs)(selectFields(body, cli.fields)))
  else if (cli.isJson) write((isTerminal ? safeJson : asIs)(JSON.stringify(body, null, 2)))
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

export interface NamedCommand {
  name: string
  /** Its line in the list of commands. */
  about: string
  command: Command
  /** The list of its subcommands; empty if there are none. */
  actions: string
  loadExamples(): Promise<readonly string[]>
}

/** Runs a command, prints its output, and returns the exit code. */
export const runCommand = async (
  { name, about, command, actions, loadExamples }: NamedCommand,
  args: string[],
): Promise<number> => {
  watchOutput()
  let known: Settings | undefined
  let isJson = false
  try {
    const { values, words } = parseWords(name, command, args)
    if (values.help) {
      write(helpOf(name, about, command, await loadExamples(), actions))
      return exitDone
    }
    isJson = values.json === true
    if ([values.json, values.quiet, values.field].filter(Boolean).length > 1)
      throw usageError('--json, --quiet and --field cannot be combined.')
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
      fields: values.field ?? [],
      isText: !isJson && !values.quiet && !values.field,
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
