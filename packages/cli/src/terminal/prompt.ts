import type { Cli } from '../command.js'
import { CommandError, exitFailed, usageError } from '../exit-codes.js'
import { printable } from './screen.js'

/** Asks on standard error, so that the result can be piped on. */
export const ask = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await lines.question(printable(question))).trim()
  } finally {
    lines.close()
  }
}

/** The same, without showing what is typed. */
export const askHidden = async (question: string): Promise<string> => {
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline/promises'),
    import('node:stream'),
  ])
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  // The terminal echoes no more: whoever types or pastes at once is safe too.
  process.stderr.write(question)
  try {
    return (await lines.question('')).trim()
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

/** Asks for confirmation on a terminal only. For changes that are easy to undo, so that scripts need no `--yes`. */
export const confirmOnTerminal = async (cli: Cli, what: string): Promise<void> => {
  if (cli.isInteractive) await confirm(cli, what)
}

/** Goes on only where the user agrees: by `--yes`, or when asked on a terminal. */
export const confirm = async (cli: Cli, what: string): Promise<void> => {
  if (cli.isConfirmed) return
  if (!cli.isInteractive) throw usageError(`${what} Add --yes to confirm.`)
  const answer = await ask(`${what} Continue? [y/N] `)
  if (!/^y(es)?$/i.test(answer)) throw new CommandError('Nothing was changed.', exitFailed)
}
