import type { parseArgs } from 'node:util'
import type { Worklore, WorkloreOptions } from 'worklore-client'
import type { GlobalValues } from './arguments.js'
import type { RememberedClaims } from './claims.js'
import type { OptionSpecs } from './option.js'
import type { Settings } from './settings.js'
import { printable, type Screen } from './terminal/screen.js'

type ValuesOf<O extends OptionSpecs> = ReturnType<typeof parseArgs<{ options: O; strict: true }>>['values']

/** What a command found or did; how it is printed is for the flags and the terminal to say. */
export interface Answer {
  /** What `--json` prints: the body of the response; undefined where that was printed already. */
  body: unknown
  /** What `-q` prints. */
  ids: readonly string[]
  text(screen: Screen): string
  exitCode?: number
}

/** What every command works with. */
export interface Cli {
  readonly settings: Settings
  screen: Screen
  /** Whether questions may be asked. */
  isInteractive: boolean
  isJson: boolean
  isQuiet: boolean
  /** Paths given with `--field`. */
  fields: readonly string[]
  /** Whether the output is text for people, not JSON, IDs or single fields. */
  isText: boolean
  /** Whether the user has confirmed beforehand. */
  isConfirmed: boolean
  readonly claims: RememberedClaims
  /** The key to ask with; refuses where there is none. */
  key(): string
  client(options?: Partial<WorkloreOptions>): Worklore
  /** Prints a part of the result, as text. */
  print(text: string): void
  /** Says something beside the result. */
  note(line: string): void
}

export interface Command {
  /** What it takes after its name: `ID`, `[ID]` where it can be left out, `ID...` for any number. */
  words: readonly string[]
  options: OptionSpecs
  /** What its help says beyond the line in the list of commands. */
  more: string
  run(cli: Cli, values: GlobalValues & Record<string, unknown>, words: string[]): Promise<Answer | undefined>
}

export const command = <const O extends OptionSpecs>(definition: {
  words?: readonly string[]
  options?: O
  more?: string
  run(cli: Cli, values: ValuesOf<O> & GlobalValues, words: string[]): Promise<Answer | undefined>
}): Command => ({ words: [], options: {}, more: '', ...definition }) as unknown as Command

/** An answer that is one line on a terminal, and the id elsewhere. */
export const oneAnswer = (data: unknown, id: string, line: string, piped = id): Answer => ({
  body: { data },
  ids: [id],
  text: ({ isTerminal }) => printable(isTerminal ? line : piped),
})
