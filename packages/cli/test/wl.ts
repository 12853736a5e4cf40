import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

export const program = fileURLToPath(new URL('../../bin/wl.cjs', import.meta.url))

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  input?: string
  env?: Record<string, string>
  cwd?: string
}

/** A user of the command line: a home and a folder to work in, and nothing of the environment of the tests. */
export interface User {
  folder: string
  env: Record<string, string>
  /** Runs the built command as a process. */
  run(words: string[], options?: RunOptions): Promise<Outcome>
  start(words: string[], options?: RunOptions): { child: ChildProcess; ended: Promise<Outcome> }
  /** The same, with an input that stays open. */
  startOpen(words: string[]): { child: ChildProcess; ended: Promise<Outcome> }
  /** Runs a command that must succeed, and gives what it printed. */
  wl(...words: string[]): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json(...words: string[]): Promise<any>
  /** Runs a shell line on a pseudo-terminal, typing what is given; both outputs come as one. */
  terminal(
    line: string,
    options?: RunOptions & { columns?: number; answers?: [prompt: RegExp, typed: string][] },
  ): Promise<Outcome>
  remove(): void
}

const ended = (child: ChildProcess): Promise<Outcome> =>
  new Promise((resolve) => {
    const outcome: Outcome = { code: null, stdout: '', stderr: '' }
    child.stdout!.on('data', (chunk) => {
      outcome.stdout += chunk
    })
    child.stderr!.on('data', (chunk) => {
      outcome.stderr += chunk
    })
    child.once('close', (code) => resolve({ ...outcome, code }))
  })

const has = (name: string, ...words: string[]): boolean => spawnSync(name, words, { stdio: 'ignore' }).status === 0

const pythonTerminal = 'import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'

/** How to get a pseudo-terminal here: by util-linux or by Python. */
export const terminalCommand = (line: string): [string, ...string[]] | undefined => {
  if (has('script', '--version')) return ['script', '-qefc', line, '/dev/null']
  return has('python3', '-c', 'import pty') ? ['python3', '-c', pythonTerminal, 'sh', '-c', line] : undefined
}

export const createUser = (baseUrl: string, key: string): User => {
  const home = mkdtempSync(join(tmpdir(), 'wl-test-'))
  const folder = join(home, 'work')
  mkdirSync(folder)
  const env = {
    PATH: `${process.env.PATH}`,
    HOME: home,
    TMPDIR: tmpdir(),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    WORKLORE_URL: baseUrl,
    WORKLORE_KEY: key,
  }
  const startOpen = (words: string[], options: RunOptions = {}) => {
    const child = spawn(process.execPath, [program, ...words], {
      cwd: options.cwd ?? folder,
      env: { ...env, ...options.env },
    })
    child.stdin!.on('error', () => {})
    return { child, ended: ended(child) }
  }
  const start = (words: string[], options: RunOptions = {}) => {
    const started = startOpen(words, options)
    started.child.stdin!.end(options.input ?? '')
    return started
  }
  const run: User['run'] = (words, options) => start(words, options).ended
  const wl: User['wl'] = async (...words) => {
    const { code, stdout, stderr } = await run(words)
    if (code !== 0) throw new Error(`wl ${words.join(' ')} ended with ${code}: ${stderr}${stdout}`)
    return stdout
  }
  return {
    folder,
    env,
    run,
    start,
    startOpen,
    wl,
    json: async (...words) => JSON.parse(await wl(...words, '--json')),
    terminal: async (line, { columns = 80, answers = [], ...options } = {}) => {
      const alias = `wl() { ${process.execPath} ${program} "$@"; }; stty cols ${columns} rows 24;`
      const command = terminalCommand(`${alias} ${line}`)
      if (!command) throw new Error('No pseudo-terminal: install util-linux (script) or python3.')
      const [name, ...words] = command
      const child = spawn(name, words, {
        cwd: options.cwd ?? folder,
        env: { ...env, SHELL: '/bin/sh', ...options.env },
      })
      child.stdin!.on('error', () => {})
      const waiting = [...answers]
      let seen = ''
      child.stdout!.on('data', (chunk) => {
        seen += chunk
        while (waiting.length > 0 && waiting[0]![0].test(seen)) {
          child.stdin!.write(`${waiting.shift()![1]}\r`)
          seen = ''
        }
      })
      const outcome = await ended(child)
      child.stdin!.end()
      return { ...outcome, stdout: outcome.stdout.replaceAll(/\r+\n/g, '\n') }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** A user for one test. */
export const userFor = (test: TestContext, service: { baseUrl: string; adminKey: string }): User => {
  const user = createUser(service.baseUrl, service.adminKey)
  test.after(() => user.remove())
  return user
}

/** A port of its own, so that the service comes back where it was. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
