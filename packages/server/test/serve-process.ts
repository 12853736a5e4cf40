import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { StoreSettings } from '../src/db/open.js'

const program = fileURLToPath(new URL('../../bin/worklore.js', import.meta.url))

const environmentOf = (settings: StoreSettings): NodeJS.ProcessEnv => ({
  ...process.env,
  PORT: '0',
  WORKLORE_DATA: settings.dataDir,
  DATABASE_URL: settings.databaseUrl ?? '',
  LOG_LEVEL: 'warn',
  WORKLORE_EMBEDDINGS: 'off',
})

export interface ServeProcess {
  url: string
  port: number
  /** Answers its exit code, or null when the signal itself ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

/** A server in a process of its own, as an operator starts it. */
export const startServeProcess = async (
  settings: StoreSettings,
  environment: NodeJS.ProcessEnv = {},
): Promise<ServeProcess> => {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...environmentOf(settings), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk
      const address = /listens on (http:\S+)/.exec(output)?.[1]
      if (address) resolve(address)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', () => reject(new Error(`The server did not start: ${output}`)))
  })
  return {
    url,
    port: Number(new URL(url).port),
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const ended = once(child, 'exit')
      child.kill(signal)
      return (await ended)[0] as number | null
    },
  }
}

/** Runs a command of the command line to its end, and answers what it printed. */
export const runCommand = async (settings: StoreSettings, ...words: string[]): Promise<string> => {
  const child = spawn(process.execPath, [program, ...words], {
    env: environmentOf(settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`worklore ${words.join(' ')} ended with ${code}: ${output}`)
  return output
}
